"""The scripts behind the recordings in this folder, and how each of them is driven."""

import json
import re
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from sandbox.scripts.script import (
    NOT_LOGGED_IN,
    NOTIFIED,
    OVERLOADED,
    TOO_LONG,
    Block,
    Break,
    ClaudeScript,
    Fail,
    Hang,
    Say,
    StepContext,
    Think,
    Use,
    WaitFor,
    script,
)
from tests.fixtures.claude_process import Agent, Project
from tests.fixtures.real_claude import DEFAULT_VERSION, OLD_VERSION

Drive = Callable[[Agent, Project], Awaitable[None]]


async def one_turn(agent: Agent, project: Project) -> None:
    await agent.ask("Please go on.")


async def two_turns(agent: Agent, project: Project) -> None:
    """Wait for the turn that the CLI starts by itself when something has finished in the background."""
    await agent.ask("Please go on.")
    (project.cwd / "go").touch()
    await agent.result()


@dataclass(frozen=True)
class Recording:
    """One stream: the script, what decides, and how it is driven."""

    play: ClaudeScript
    drive: Drive = one_turn
    others: Mapping[str, ClaudeScript] = field(default_factory=dict)
    """Scripts for further prompts, by marker: a subagent's, or the CLI's own."""
    decisions: Mapping[str, Any] = field(default_factory=dict)
    flags: tuple[str, ...] = ()
    environment: Mapping[str, str] = field(default_factory=dict)
    versions: tuple[str, ...] = (DEFAULT_VERSION, OLD_VERSION)


async def interrupt_text(agent: Agent, project: Project) -> None:
    agent.say("Please go on.")
    await agent.until(lambda line: "text_delta" in json.dumps(line))
    await _interrupt(agent)


async def interrupt_tool(agent: Agent, project: Project) -> None:
    agent.say("Please go on.")
    await agent.until(lambda line: line["type"] == "assistant" and "tool_use" in json.dumps(line))
    await project.until_asked("Bash")
    await _interrupt(agent)


async def _interrupt(agent: Agent) -> None:
    agent.control("stop-1", subtype="interrupt")
    await agent.result()
    await agent.ask("Something else.")


async def break_off(agent: Agent, project: Project) -> None:
    """Let the stream break only when its beginning has been shown."""
    agent.say("Please go on.")
    await agent.until(lambda line: "text_delta" in json.dumps(line))
    (project.cwd / "go").touch()
    await agent.result()


async def queued(agent: Agent, project: Project) -> None:
    agent.say("Please go on.")
    await agent.until(lambda line: "text_delta" in json.dumps(line))
    agent.say("And another thing.")
    (project.cwd / "go").touch()
    await agent.result()
    await agent.result()


async def controls(agent: Agent, project: Project) -> None:
    agent.control("c-1", subtype="initialize")
    await agent.reply("c-1")
    await agent.ask("Hello.")
    agent.control("c-2", subtype="get_context_usage")
    await agent.reply("c-2")
    agent.control("c-3", subtype="set_permission_mode", mode="acceptEdits")
    await agent.reply("c-3")
    agent.control("c-4", subtype="set_model", model="sonnet")
    await agent.reply("c-4")
    agent.control("c-5", subtype="no_such_thing")
    await agent.reply("c-5")
    await agent.ask("Hello again.")


QUESTIONS = {
    "questions": [
        {
            "question": "Which database should we use?",
            "header": "Database",
            "multiSelect": False,
            "options": [
                {"label": "SQLite", "description": "One file, no server"},
                {"label": "Postgres", "description": "A server, and room to grow"},
            ],
        },
        {
            "question": "Which extras do you want?",
            "header": "Extras",
            "multiSelect": True,
            "options": [
                {"label": "Backups", "description": "Every night"},
                {"label": "Metrics", "description": "With a small page"},
                {"label": "Neither", "description": "Keep it small"},
            ],
        },
    ]
}
ANSWERS = {"Which database should we use?": "SQLite", "Which extras do you want?": "Backups, Metrics"}
TOUCH = Use("Bash", {"command": "touch made.txt", "description": "Make a file"})
PLAN = "# A small plan\n\n1. Read the code.\n2. Change it.\n3. Run the tests.\n"
TEXT = "Here is **what I found**: the answer is 42, and it took a while.\n\n```python\nprint(42)\n```\n"


def write_plan(seen: StepContext) -> list[Block]:
    """Write the plan where the CLI wants it: the name is in what it told Claude beside the prompt."""
    found = re.search(r"\S+/\.claude/plans/\S+?\.md", seen.notes)
    path = found[0] if found else "plan.md"
    return [Say("Here is my plan."), Use("Write", {"file_path": path, "content": PLAN})]


RECORDINGS = {
    "text": Recording(script([Say(TEXT)])),
    "thinking": Recording(script([Think("The person greets. I should greet back, briefly."), Say("Hello!")])),
    "tools": Recording(
        script(
            [Say("I'll write the file."), Use("Write", {"file_path": "/project/app.py", "content": "print('hi')\n"})],
            [Use("Edit", {"file_path": "/project/app.py", "old_string": "'hi'", "new_string": "'hello'"})],
            [Use("Bash", {"command": "python3 app.py", "description": "Run it"})],
            [Use("Read", {"file_path": "/project/app.py"})],
            [Say("It prints `hello`.")],
        ),
    ),
    "denied": Recording(
        script([TOUCH], [Say("Then I won't.")]),
        decisions={"*": {"behavior": "deny", "message": "Not on a Friday."}},
    ),
    "denied-interrupt": Recording(
        script([TOUCH], [Say("Then I won't.")]),
        decisions={"*": {"behavior": "deny", "message": "Not on a Friday.", "interrupt": True}},
    ),
    "invalid-decision": Recording(script([TOUCH], [Say("Odd.")]), decisions={"*": "yes please"}),
    "failing-command": Recording(
        script([Use("Bash", {"command": "echo out; echo err >&2; exit 3", "description": "Fail"})], [Say("It failed.")])
    ),
    "edited": Recording(
        script([TOUCH], [Say("Made.")]), decisions={"Bash": {"merge": {"command": "echo changed by a person"}}}
    ),
    "parallel": Recording(
        script(
            [
                Say("Three at once."),
                Use("Read", {"file_path": "/etc/hostname"}),
                Use("Read", {"file_path": "/etc/shells"}),
                Use("Read", {"file_path": "/etc/no-such-file"}),
            ],
            [Say("All read.")],
        ),
    ),
    "questions": Recording(
        script([Use("AskUserQuestion", QUESTIONS)], [Say("SQLite it is.")]),
        decisions={"AskUserQuestion": {"merge": {"answers": ANSWERS}}},
    ),
    "questions-denied": Recording(
        script([Use("AskUserQuestion", QUESTIONS)], [Say("I'll choose.")]),
        decisions={"AskUserQuestion": {"behavior": "deny", "message": "Choose yourself."}},
    ),
    "plan": Recording(
        script(
            write_plan,
            [Use("ExitPlanMode", {"plan": PLAN})],
            [Say("Starting.")],
        ),
        flags=("--permission-mode", "plan"),
    ),
    "plan-denied": Recording(
        script([Use("ExitPlanMode", {"plan": PLAN})], [Say("I'll think again.")]),
        flags=("--permission-mode", "plan"),
        decisions={"ExitPlanMode": {"behavior": "deny", "message": "More tests, please."}},
    ),
    "subagent": Recording(
        script(
            [Use("Agent", {"description": "Count the files", "prompt": "SUBAGENT", "run_in_background": False})],
            [Say("The subagent counted three.")],
        ),
        others={"SUBAGENT": script([Say("Counting."), TOUCH], [Say("There are three files.")])},
    ),
    "subagent-background": Recording(
        script(
            [Use("Agent", {"description": "Count the files", "prompt": "SUBAGENT", "run_in_background": True})],
            [Say("It counts in the background.")],
        ),
        drive=two_turns,
        others={
            "SUBAGENT": script([WaitFor("/project/go"), Say("Counting."), TOUCH], [Say("There are three files.")]),
            NOTIFIED: script([Say("The subagent says: three.")]),
        },
    ),
    "background-task": Recording(
        script(
            [
                Use(
                    "Bash",
                    {
                        "command": "until test -e go; do sleep 0.05; done; echo built",
                        "description": "Build",
                        "run_in_background": True,
                    },
                )
            ],
            [Say("It builds in the background.")],
        ),
        drive=two_turns,
        others={NOTIFIED: script([Say("The build is done.")])},
    ),
    "todo": Recording(
        script(
            [
                Use(
                    "TaskCreate",
                    {"subject": "Read the code", "description": "All of it", "activeForm": "Reading the code"},
                ),
                Use("TaskCreate", {"subject": "Change it", "description": "A little", "activeForm": "Changing it"}),
            ],
            [Use("TaskUpdate", {"taskId": "1", "status": "in_progress"})],
            [Use("TaskUpdate", {"taskId": "1", "status": "completed"}), Use("TaskList", {})],
            [Say("One of two is done.")],
        ),
        environment={"CLAUDE_CODE_ENABLE_TODO_TOOLS": "1"},
    ),
    "todo-write": Recording(
        script(
            [
                Use(
                    "TodoWrite",
                    {
                        "todos": [
                            {"content": "Read the code", "status": "in_progress", "activeForm": "Reading the code"},
                            {"content": "Change it", "status": "pending", "activeForm": "Changing it"},
                        ]
                    },
                )
            ],
            [
                Use(
                    "TodoWrite",
                    {
                        "todos": [
                            {"content": "Read the code", "status": "completed", "activeForm": "Reading the code"},
                            {"content": "Change it", "status": "in_progress", "activeForm": "Changing it"},
                        ]
                    },
                )
            ],
            [Say("One of two is done.")],
        ),
        environment={"CLAUDE_CODE_ENABLE_TASKS": "0", "CLAUDE_CODE_ENABLE_TODO_TOOLS": "1"},
    ),
    "long-output": Recording(
        script([Use("Bash", {"command": "seq 1 9000; touch x", "description": "Count"})], [Say("That was long.")])
    ),
    "unknown-tool": Recording(script([Use("Frobnicate", {"x": 1})], [Say("There is no such tool.")])),
    "not-logged-in": Recording(script(), environment={"ANTHROPIC_API_KEY": ""}),
    "bad-key": Recording(script([NOT_LOGGED_IN]), environment={"CLAUDE_CODE_MAX_RETRIES": "1"}),
    "overloaded": Recording(script([OVERLOADED]), environment={"CLAUDE_CODE_MAX_RETRIES": "1"}),
    "overloaded-once": Recording(script([Fail(529, times=1), Say("Now it works.")])),
    "rate-limited": Recording(
        script([Fail(429, "This request would exceed your account's rate limit.", "rate_limit_error")]),
        environment={"CLAUDE_CODE_MAX_RETRIES": "1"},
    ),
    "too-long": Recording(script([TOO_LONG])),
    "broken-stream": Recording(
        script([Say("A sentence that br"), WaitFor("/project/go"), Break(times=1), Say("A whole sentence.")]),
        drive=break_off,
        others={"cut off mid-stream": script([Say("eaks, and its end.")])},
    ),
    "interrupt-text": Recording(script([Say("A beginning with no end"), Hang()]), drive=interrupt_text),
    "interrupt-tool": Recording(script([TOUCH]), drive=interrupt_tool, decisions={"Bash": "hang"}),
    "queued": Recording(
        script([Say("The first answer"), WaitFor("/project/go"), Say(" in two parts.")]),
        drive=queued,
        others={"another thing": script([Say("The second answer.")])},
    ),
    "controls": Recording(script([Say("Hello.")]), drive=controls),
}


def scripts(name: str, project: Path) -> dict[str, ClaudeScript]:
    """Give a recording's scripts by marker, with their paths in this project."""
    recording = RECORDINGS[name]
    return {marker: _placed(play, project) for marker, play in {"go on": recording.play, **recording.others}.items()}


def _placed(play: ClaudeScript, project: Path) -> ClaudeScript:
    def place(value: Any) -> Any:
        match value:
            case str():
                return value.replace("/project/", f"{project}/")
            case dict():
                return {key: place(item) for key, item in value.items()}
            case Use(tool, input_):
                return Use(tool, place(dict(input_)))
            case WaitFor(path):
                return WaitFor(place(path))
            case list() | tuple():
                return type(value)(place(item) for item in value)
            case _:
                return value

    return ClaudeScript(place(play.steps))
