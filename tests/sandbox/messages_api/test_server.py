"""Tests that the scripted API drives the real CLI, and that the CLI behaves as the product expects."""

import asyncio
import json

import pytest

from sandbox.messages_api.server import MessagesApi
from sandbox.scripts.script import NOTIFIED, Break, Fail, Hang, Say, Think, Use, WaitFor, script
from tests.fixtures.claude_process import Project
from tests.recordings.recorded_scripts import ANSWERS, PLAN, QUESTIONS, write_plan
from tests.sandbox.conftest import Start

TOUCH = Use("Bash", {"command": "touch made.txt", "description": "Make a file"})


async def test_a_prompt_with_no_script_is_answered_with_its_own_words(real: Start) -> None:
    async with real() as agent:
        result = await agent.ask("Good morning")

    assert result["result"] == "You said: Good morning"


async def test_each_prompt_chooses_its_own_script(real: Start, api: MessagesApi) -> None:
    api.on("alpha", script([Say("First.")]))
    api.on("beta", script([Think("Hm."), Say("Second.")]))

    async with real() as agent:
        answers = [(await agent.ask(prompt))["result"] for prompt in ("alpha", "beta", "gamma")]

    assert answers == ["First.", "Second.", "You said: gamma"]


async def test_a_tool_is_asked_about_and_what_was_allowed_is_what_runs(
    real: Start, api: MessagesApi, project: Project
) -> None:
    api.on("go", script([TOUCH], [Say("Made.")]))
    project.decide({"Bash": {"merge": {"command": "touch changed.txt"}}})

    async with real() as agent:
        result = await agent.ask("go")

    assert result["result"] == "Made."
    assert [request["tool_name"] for request in project.asked()] == ["Bash"]
    assert [file.name for file in project.cwd.iterdir()] == ["changed.txt"]


async def test_a_refusal_reaches_claude_word_for_word(real: Start, api: MessagesApi, project: Project) -> None:
    api.on("go", script([TOUCH], [Say("All right.")]))
    project.decide({"*": {"behavior": "deny", "message": "Not on a Friday."}})

    async with real() as agent:
        result = await agent.ask("go")

    assert (await api.reached("go", 1)).tool_results == "Not on a Friday."
    assert [denial["tool_name"] for denial in result["permission_denials"]] == ["Bash"]
    assert not list(project.cwd.iterdir())


async def test_reads_outside_the_project_ask_all_at_once(real: Start, api: MessagesApi, project: Project) -> None:
    files = [str(project.root / f"{name}.txt") for name in "abc"]
    api.on("go", script([Use("Read", {"file_path": file}) for file in files]))
    project.decide({"Read": "hang"})

    async with real() as agent:
        agent.say("go")
        await project.until_asked("Read", 3)

    assert {request["input"]["file_path"] for request in project.asked()} == set(files)


async def test_questions_are_answered_through_the_permission_tool(
    real: Start, api: MessagesApi, project: Project
) -> None:
    api.on("go", script([Use("AskUserQuestion", QUESTIONS)], [Say("Thanks.")]))
    project.decide({"AskUserQuestion": {"merge": {"answers": ANSWERS}}})

    async with real() as agent:
        await agent.ask("go")

    told = (await api.reached("go", 1)).tool_results
    assert '"Which extras do you want?"="Backups, Metrics"' in told


async def test_a_plan_is_approved_through_the_permission_tool(real: Start, api: MessagesApi, project: Project) -> None:
    api.on("go", script(write_plan, [Use("ExitPlanMode", {})], [Say("Starting.")]))

    async with real("--permission-mode", "plan") as agent:
        result = await agent.ask("go")
        modes = [line["permissionMode"] for line in agent.lines if "permissionMode" in line]

    assert result["result"] == "Starting."
    assert project.asked()[-1]["input"]["plan"] == PLAN
    assert modes == ["plan", "default"]
    assert "approved your plan" in (await api.reached("go", 2)).tool_results


async def test_a_subagent_that_outlives_the_turn_starts_a_turn_by_itself(
    real: Start, api: MessagesApi, project: Project
) -> None:
    delegate = Use("Agent", {"description": "Count", "prompt": "SUBAGENT", "run_in_background": True})
    api.on("go", script([delegate], [Say("It counts.")]))
    api.on("SUBAGENT", script([WaitFor(str(project.root / "now")), Say("There are three.")]))
    api.on(NOTIFIED, script([Say("Three, it says.")]))

    async with real() as agent:
        first = await agent.ask("go")
        (project.root / "now").touch()
        second = await agent.result()

    assert [first["result"], second["result"]] == ["It counts.", "Three, it says."]
    assert "There are three." in (await api.reached(NOTIFIED)).seen.prompt


async def test_an_interrupt_withdraws_what_was_asked_and_keeps_the_session(
    real: Start, api: MessagesApi, project: Project
) -> None:
    api.on("go", script([TOUCH]))
    project.decide({"Bash": "hang"})

    async with real() as agent:
        agent.say("go")
        await project.until_asked("Bash")
        agent.control("stop", subtype="interrupt")
        stopped = await agent.result()
        answer = await agent.ask("hello")

    assert stopped["terminal_reason"] == "aborted_tools"
    assert len(project.messages("notifications/cancelled")) == 1
    assert answer["result"] == "You said: hello"


async def test_a_resumed_session_remembers_what_was_said(real: Start, api: MessagesApi) -> None:
    async with real() as agent:
        session = (await agent.ask("my name is Ada"))["session_id"]
        assert await agent.end() == 0
    async with real("--resume", session) as agent:
        await agent.ask("who am I?")

    assert api.calls[-1].seen.earlier == ("my name is Ada",)


async def test_the_cli_gets_over_a_failure_that_passes(real: Start, api: MessagesApi) -> None:
    api.on("busy", script([Fail(529, times=1), Say("Now.")]))
    api.on("torn", script([Break(times=1), Say("Whole.")]))

    async with real() as agent:
        answers = [(await agent.ask(prompt))["result"] for prompt in ("busy", "torn")]

    assert answers == ["Now.", "Whole."]


async def test_a_picture_reaches_the_api(real: Start, api: MessagesApi) -> None:
    pixel = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="
    source = {"type": "base64", "media_type": "image/png", "data": pixel}
    content = [{"type": "image", "source": source}, {"type": "text", "text": "What is this?"}]

    async with real() as agent:
        agent.write({"type": "user", "message": {"role": "user", "content": content}})
        await agent.result()

    assert api.calls[-1].seen.images == 1


async def test_without_its_input_the_cli_finishes_the_turn_and_goes(
    real: Start, api: MessagesApi, project: Project
) -> None:
    api.on("go", script([Say("Half"), WaitFor(str(project.root / "now")), Say("Whole.")]))

    async with real() as agent:
        agent.say("go")
        await agent.until(lambda line: "Half" in json.dumps(line))
        ending = asyncio.create_task(agent.end())
        (project.root / "now").touch()
        assert await ending == 0
        assert agent.lines[-1]["result"] == "Whole."


async def test_what_never_comes_is_a_clear_failure(api: MessagesApi) -> None:
    with pytest.raises(TimeoutError):
        await api.reached("nobody says this", within=0.01)


async def test_a_stream_can_hang_until_the_cli_is_stopped(real: Start, api: MessagesApi) -> None:
    api.on("go", script([Say("Wait"), Hang()]))

    async with real() as agent:
        agent.say("go")
        await agent.until(lambda line: "Wait" in json.dumps(line))
        agent.control("stop", subtype="interrupt")
        assert (await agent.result())["terminal_reason"] == "aborted_streaming"
