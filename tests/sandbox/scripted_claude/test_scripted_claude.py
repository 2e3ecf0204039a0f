"""Tests the scripted agent as a program: what it obeys, what it remembers, and how it ends."""

import asyncio
import json
import signal
import subprocess
import sys
from collections.abc import Callable
from typing import Any

import pytest

from sandbox.messages_api.server import MessagesApi
from sandbox.scripts.script import NOTIFIED, Complain, Exit, Hang, RawLine, Say, Use, WaitFor, script
from tests.fixtures.claude_process import Agent, Project
from tests.sandbox.conftest import ROOT, Start

TOUCH = Use("Bash", {"command": "touch made.txt", "description": "Make a file"})
UNKNOWN = "11111111-1111-4111-8111-111111111111"


def outcomes(agent: Agent) -> list[str]:
    """Return the tool results that Claude got."""
    found = []
    for line in agent.lines:
        if line["type"] == "user" and isinstance(line["message"]["content"], list):
            found += [block["content"] for block in line["message"]["content"] if block["type"] == "tool_result"]
    return found


def has(text: str) -> Callable[[dict[str, Any]], bool]:
    return lambda line: text in json.dumps(line)


async def ended(agent: Agent) -> int:
    async with asyncio.timeout(10):
        return await agent.process.wait()


def test_it_says_its_version_and_that_it_is_scripted() -> None:
    done = subprocess.run(
        [sys.executable, "-P", "-m", "sandbox.scripted_claude", "--version"],
        env={"PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
        check=True,
        timeout=10,
    )

    assert done.stdout.endswith("(Claude Code, scripted)\n")


async def test_what_was_allowed_is_what_runs(scripted: Start, project: Project) -> None:
    project.decide({"Bash": {"merge": {"command": "echo edited > other.txt"}}})

    async with scripted({"go": script([TOUCH], [Say("Made.")])}) as agent:
        await agent.ask("go")

    assert [file.name for file in project.cwd.iterdir()] == ["other.txt"]


async def test_what_was_denied_does_not_run(scripted: Start, project: Project) -> None:
    project.decide({"*": {"behavior": "deny", "message": "Not on a Friday."}})

    async with scripted({"go": script([TOUCH], [Say("All right.")])}) as agent:
        result = await agent.ask("go")

        assert outcomes(agent) == ["Not on a Friday."]
    assert [denial["tool_name"] for denial in result["permission_denials"]] == ["Bash"]
    assert not list(project.cwd.iterdir())


@pytest.mark.parametrize(
    "answer",
    ["yes", "{}", '{"behavior":"allow"}', '{"behavior":"allow","updatedInput":"rm"}', '{"behavior":"deny"}', "[]"],
)
async def test_an_answer_that_is_not_a_decision_is_a_no(scripted: Start, project: Project, answer: str) -> None:
    project.decide({"*": answer})

    async with scripted({"go": script([TOUCH])}) as agent:
        await agent.ask("go")

        assert "invalid permission result" in outcomes(agent)[0]
    assert not list(project.cwd.iterdir())


async def test_a_remembered_rule_stops_the_asking(scripted: Start, project: Project) -> None:
    rule = {"type": "addRules", "rules": [{"toolName": "Bash", "ruleContent": "touch:*"}], "behavior": "allow"}
    project.decide({"Bash": {"merge": {}, "updatedPermissions": [{**rule, "destination": "session"}]}})
    second = Use("Bash", {"command": "touch second.txt"})
    sly = Use("Bash", {"command": "touch third.txt; rm second.txt"})

    async with scripted({"go": script([TOUCH], [second], [sly])}) as agent:
        await agent.ask("go")

    assert [request["input"]["command"] for request in project.asked()] == [
        TOUCH.input["command"],
        sly.input["command"],
    ]


async def test_it_writes_edits_and_reads_only_what_is_there(scripted: Start, project: Project) -> None:
    outside = str(project.root / "outside.txt")
    play = script(
        [Use("Write", {"file_path": "a/app.py", "content": "one\ntwo\n"})],
        [Use("Edit", {"file_path": "a/app.py", "old_string": "two", "new_string": "three"})],
        [Use("Read", {"file_path": "a/app.py"})],
        [Use("Edit", {"file_path": "a/app.py", "old_string": "four", "new_string": "five"})],
        [Use("Write", {"file_path": outside, "content": "x"})],
    )

    async with scripted({"go": play}) as agent:
        await agent.ask("go")

        assert outcomes(agent)[2] == "1\tone\n2\tthree\n3\t"
        assert "not found in file" in outcomes(agent)[3]
        assert "only inside" in outcomes(agent)[4]
    assert (project.cwd / "a/app.py").read_text() == "one\nthree\n"
    assert not (project.root / "outside.txt").exists()


async def test_modes_decide_what_is_asked(scripted: Start, project: Project) -> None:
    write = Use("Write", {"file_path": "a.txt", "content": "a"})

    chmod = Use("Bash", {"command": "chmod +x a.txt"})
    async with scripted({"go": script([write, chmod])}, "--permission-mode", "acceptEdits") as agent:
        await agent.ask("go")
        assert [request["tool_name"] for request in project.asked()] == ["Bash"]
        agent.control("mode", subtype="set_permission_mode", mode="bypassPermissions")
        await agent.ask("go")
        assert len(project.asked()) == 1
        agent.control("mode-2", subtype="set_permission_mode", mode="whatever")
        assert (await agent.reply("mode-2"))["subtype"] == "error"


FILE_COMMANDS = ("mkdir sub", "touch sub/a", "cp sub/a b", "mv b c", "rm c", "rm -rf sub")
ASKED_ANYWAY = ("ln -s a b", "chmod +x a", "touch ../outside", "FOO=1 touch a")


@pytest.mark.parametrize("kind", ["scripted", "real"])
async def test_accepting_edits_is_more_than_edits_to_claude_itself(
    kind: str, scripted: Start, real: Start, api: MessagesApi, project: Project
) -> None:
    """This is why the bot never uses that mode."""
    commands = (*FILE_COMMANDS, *ASKED_ANYWAY)
    play = script(*([Use("Bash", {"command": command})] for command in commands), [Say("Done.")])
    api.on("go", play)
    mode = ("--permission-mode", "acceptEdits")
    async with real(*mode) if kind == "real" else scripted({"go": play}, *mode) as agent:
        await agent.ask("go")
    assert [asked["input"]["command"] for asked in project.asked()] == list(ASKED_ANYWAY)


async def test_a_time_out_ends_a_command_and_everything_it_started(scripted: Start, project: Project) -> None:
    slow = Use("Bash", {"command": "sleep 60 & echo $! > pid; wait", "timeout": 200})

    async with scripted({"go": script([slow], [Say("Too slow.")])}) as agent:
        await agent.ask("go")

        assert "timed out" in outcomes(agent)[0]
    assert not await running(int((project.cwd / "pid").read_text()))


async def running(pid: int) -> bool:
    """Check whether a process is still running; one that was just killed may need a moment to end."""
    for _ in range(100):
        if subprocess.run(["ps", "-o", "stat=", str(pid)], capture_output=True, check=False).stdout[:1] in {b"", b"Z"}:  # noqa: ASYNC221
            return False
        await asyncio.sleep(0.01)
    return True


async def test_a_prompt_during_a_turn_waits_for_its_end(scripted: Start, project: Project) -> None:
    play = script([Say("One"), WaitFor(str(project.root / "now"))])

    async with scripted({"first": play}) as agent:
        agent.say("first")
        await agent.until(has("One"))
        agent.say("second")
        (project.root / "now").touch()
        assert [(await agent.result())["result"] for _ in range(2)] == ["One", "You said: second"]


async def test_an_interrupt_withdraws_the_request_and_the_next_prompt_is_answered(
    scripted: Start, project: Project
) -> None:
    project.decide({"Bash": "hang"})

    async with scripted({"go": script([TOUCH])}) as agent:
        agent.say("go")
        await project.until_asked("Bash")
        agent.control("stop", subtype="interrupt")
        stopped = await agent.result()
        assert (await agent.ask("hello"))["result"] == "You said: hello"

    assert (stopped["subtype"], stopped["terminal_reason"]) == ("error_during_execution", "aborted_tools")
    assert len(project.messages("notifications/cancelled")) == 1


async def test_an_interrupt_between_turns_harms_nothing(scripted: Start) -> None:
    async with scripted({}) as agent:
        agent.control("stop", subtype="interrupt")
        await agent.reply("stop")
        assert (await agent.ask("hello"))["subtype"] == "success"


async def test_a_session_is_resumed_and_an_unknown_one_refused(scripted: Start, project: Project) -> None:
    async with scripted({}) as agent:
        session = (await agent.ask("my name is Ada"))["session_id"]
        assert await agent.end() == 0
    async with scripted({}, "--resume", session) as agent:
        assert (await agent.ask("hello"))["session_id"] == session
    async with scripted({}, "--session-id", session) as agent:
        assert await ended(agent) == 1
        assert "already in use" in agent.errors.read_text()
    async with scripted({}, "--resume", UNKNOWN) as agent:
        assert await ended(agent) == 1
        assert agent.lines[0]["errors"] == [f"No conversation found with session ID: {UNKNOWN}"]


@pytest.mark.parametrize("flags", [("--permission-mode", "nonsense"), ("--session-id", "nonsense")])
async def test_a_flag_that_makes_no_sense_is_refused(scripted: Start, flags: tuple[str, str]) -> None:
    async with scripted({}, *flags) as agent:
        assert await ended(agent) == 1
        assert agent.errors.read_text()


async def test_without_its_input_it_finishes_the_turn_and_goes(scripted: Start, project: Project) -> None:
    play = script([Say("Half"), WaitFor(str(project.root / "now"))], [])

    async with scripted({"go": play}) as agent:
        agent.say("go")
        await agent.until(has("Half"))
        ending = asyncio.create_task(agent.end())
        (project.root / "now").touch()
        assert await ending == 0
        assert agent.lines[-1]["subtype"] == "success"


async def test_without_its_input_it_still_waits_for_its_background(scripted: Start, project: Project) -> None:
    build = Use(
        "Bash", {"command": f"until test -e {project.root}/now; do sleep 0.01; done", "run_in_background": True}
    )
    play = {"go": script([build], [Say("Building.")]), NOTIFIED: script([Say("Built.")])}

    async with scripted(play) as agent:
        await agent.ask("go")
        ending = asyncio.create_task(agent.end())
        (project.root / "now").touch()
        assert await ending == 0
        assert [line["result"] for line in agent.lines if line["type"] == "result"] == ["Building.", "Built."]


async def test_sigint_ends_the_turn_with_a_result_and_sigterm_without(scripted: Start) -> None:
    async with scripted({"go": script([Say("One"), Hang()])}) as agent:
        agent.say("go")
        await agent.until(has("One"))
        agent.process.send_signal(signal.SIGINT)
        assert await ended(agent) == 0
        assert agent.lines[-1]["terminal_reason"] == "aborted_streaming"
    async with scripted({"go": script([Say("One"), Hang()])}) as agent:
        agent.say("go")
        await agent.until(has("One"))
        agent.process.send_signal(signal.SIGTERM)
        assert await ended(agent) == 143
        assert agent.lines[-1]["type"] != "result"


async def test_it_can_misbehave_as_no_real_one_should(scripted: Start) -> None:
    play = script(
        [
            Complain("something is wrong"),
            RawLine("not json at all"),
            RawLine('{"type":"brand_new"}'),
            RawLine("x", repeat=5_000_000),
        ],
        [],
    )

    async with scripted({"go": play, "die": script([Say("Good"), Exit(7)])}) as agent:
        await agent.ask("go")
        text = agent.journal.read_text()
        assert max(len(line) for line in text.splitlines()) == 5_000_000
        assert "not json at all\n" in text
        assert any(map(has("brand_new"), agent.lines))
        assert agent.errors.read_text() == "something is wrong\n"
        agent.say("die")
        assert await ended(agent) == 7
        assert agent.lines[-1]["type"] != "result"


async def test_a_line_that_cannot_be_read_ends_it(scripted: Start) -> None:
    async with scripted({}) as agent:
        assert agent.process.stdin is not None
        agent.process.stdin.write(b"garbage\n")
        assert await ended(agent) == 1
        assert "Error parsing streaming input line" in agent.errors.read_text()


async def test_a_permission_tool_that_is_not_there_is_noticed_when_it_is_needed(
    scripted: Start, project: Project
) -> None:
    broken = {"mcpServers": {"discord": {"command": str(project.root / "no-such-program")}}}
    project.config.write_text(json.dumps(broken))

    async with scripted({"go": script([TOUCH])}) as agent:
        await agent.ask("hello")
        assert agent.lines[0]["mcp_servers"][0]["status"] == "failed"
        agent.say("go")
        assert await ended(agent) == 1
        assert "mcp__discord__approve" in agent.errors.read_text()


async def test_a_permission_server_that_dies_is_an_error_for_claude(scripted: Start, project: Project) -> None:
    project.config.write_text(
        json.dumps({"mcpServers": {"discord": {"command": sys.executable, "args": ["-c", DYING]}}})
    )

    async with scripted({"go": script([TOUCH], [Say("Odd.")])}) as agent:
        await agent.ask("go")

        assert "Connection closed" in outcomes(agent)[0]


DYING = """
import json, sys
for line in sys.stdin:
    message = json.loads(line)
    if message.get("method") == "tools/call":
        sys.exit(1)
    if "id" in message:
        result = {"tools": [{"name": "approve"}], "protocolVersion": "2025-11-25"}
        print(json.dumps({"jsonrpc": "2.0", "id": message["id"], "result": result}), flush=True)
"""
