"""Tests that a recording, today's real CLI and the scripted agent write the same stream."""

import json
from dataclasses import dataclass
from itertools import groupby
from pathlib import Path

import pytest

from tests.fixtures.claude_process import Line, Project
from tests.fixtures.real_claude import DEFAULT_VERSION, version
from tests.recordings.record import driven, of_real, path
from tests.recordings.recorded_scripts import RECORDINGS
from tests.sandbox.conftest import SCRIPTED, scripted_environment
from tests.sandbox.scripted_claude.stream_shape import Shape, missing, shapes

NOT_PLAYED = {
    "broken-stream": "the scripted agent has no connection that could break",
    "not-logged-in": "the scripted agent has no account",
    "todo": "the scripted agent has only TodoWrite",
}


def recorded(name: str, cli: str = DEFAULT_VERSION) -> list[Line]:
    return [json.loads(line) for line in path(name, cli).read_text(encoding="utf-8").splitlines()]


@dataclass(frozen=True)
class Strands:
    """Parts of a stream that each have an order; the rest may come at any place in between."""

    events: list[Shape]
    """The API's events: a tool may be done before the message that asked for it has ended."""
    lines: list[Shape]
    beside: set[Shape]
    """Lines of subagents and background tasks, and answers to control requests."""


def strands(lines: list[Line]) -> Strands:
    def is_beside(line: Line) -> bool:
        aside = "task" in str(line.get("subtype")) or line["type"] == "control_response"
        return aside or bool(line.get("parent_tool_use_id"))

    events = [line for line in lines if line["type"] == "stream_event"]
    others = [line for line in lines if line["type"] != "stream_event"]
    main = shapes(_outcomes_last([line for line in others if not is_beside(line)]))
    return Strands(shapes(events), _sorted_outcomes(main), {*shapes([line for line in others if is_beside(line)])})


def _outcomes_last(lines: list[Line]) -> list[Line]:
    """Move the results of a message's tools after the message: a tool may end before the message is written."""
    found: list[Line] = []
    outcomes: list[Line] = []
    for line in lines:
        last = found[-1] if found else {}
        if line["type"] == "user":
            outcomes.append(line)
        elif line["type"] == last.get("type") == "assistant" and line["message"]["id"] == last["message"]["id"]:
            found.append(line)
        else:
            found += [*outcomes, line]
            outcomes = []
    return found + outcomes


def _sorted_outcomes(found: list[Shape]) -> list[Shape]:
    """Sort the results of parallel tools: which one ends first is chance."""
    runs = groupby(found, lambda shape: shape[0] == "user")
    return [shape for is_user, run in runs for shape in (sorted(set(run), key=str) if is_user else run)]


@pytest.mark.parametrize("name", [name for name in RECORDINGS if name not in NOT_PLAYED])
async def test_the_scripted_agent_writes_what_the_real_one_wrote(name: str, project: Project) -> None:
    recording = RECORDINGS[name]
    project.decide(recording.decisions)
    environment = scripted_environment(project)
    scripts = project.root / "scripts.py"
    scripts.write_text(
        "from pathlib import Path\n"
        "from tests.recordings.recorded_scripts import scripts\n"
        f"SCRIPTS = scripts({name!r}, Path({str(project.cwd)!r}))\n"
    )
    environment["CLAUDE_SCRIPT"] = str(scripts)

    lines = await driven(name, SCRIPTED, project, environment)

    played, expected = strands(lines), strands(recorded(name))
    assert played.lines == expected.lines
    assert played.events == expected.events
    assert played.beside <= expected.beside
    assert not missing(lines)


@pytest.mark.parametrize("name", RECORDINGS)
async def test_the_real_cli_still_writes_what_was_recorded(name: str, real_claude: Path, project: Project) -> None:
    if not path(name, version()).exists():
        pytest.skip(f"there are no recordings of {version()}")
    project.decide(RECORDINGS[name].decisions)

    lines = await of_real(name, real_claude, project)

    assert strands(lines) == strands(recorded(name, version()))
    assert not missing(lines)
