"""Tests a newcomer's conversation with the scripted agent."""

import asyncio
from collections.abc import AsyncIterator

import pytest

from sandbox.scripts.tour import QUESTIONS, STOPS, choose
from tests.fixtures.claude_process import Agent, Project, started
from tests.sandbox.conftest import SCRIPTED, scripted_environment

YES = {"AskUserQuestion": {"merge": {"answers": {q["question"]: "Red" for q in QUESTIONS["questions"]}}}}
NO = {"*": {"behavior": "deny", "message": "Not today."}}
ENDLESS = {"slow", "crash"}


@pytest.fixture
async def guide(project: Project) -> AsyncIterator[Agent]:
    environment = scripted_environment(project)
    del environment["CLAUDE_SCRIPT"]
    async with started(SCRIPTED, project, {**environment, "CLAUDE_SCRIPT_PACE": "0"}) as agent:
        yield agent


async def test_the_first_words_are_answered_with_a_welcome_and_a_card(guide: Agent, project: Project) -> None:
    result = await guide.ask("Fix the login bug, please")

    assert [request["tool_name"] for request in project.asked()] == ["Bash"]
    assert "It really ran" in result["result"]
    assert "**questions**" in result["result"]
    assert (project.cwd / "tour" / "hello.txt").exists()


async def test_a_no_is_respected_and_its_reason_read(guide: Agent, project: Project) -> None:
    project.decide(NO)

    result = await guide.ask("Fix the login bug, please")

    assert "“Not today.”" in result["result"]
    assert not list(project.cwd.iterdir())


@pytest.mark.parametrize("decisions", [YES, NO], ids=["yes", "no"])
async def test_every_stop_comes_to_its_end(guide: Agent, project: Project, decisions: dict[str, object]) -> None:
    project.decide(decisions)

    for stop in STOPS:
        if stop.words[0] not in ENDLESS:
            result = await guide.ask(f"Show me: {stop.words[0]}!")
            assert result["is_error"] == (stop.words[0] == "overload"), result
    await guide.end()
    assert "Traceback" not in guide.errors.read_text()


async def test_help_names_every_stop(guide: Agent) -> None:
    result = await guide.ask("HELP")

    assert all(f"**{stop.words[0]}**" in result["result"] for stop in STOPS)


async def test_what_was_said_is_remembered_in_the_next_process(guide: Agent, project: Project) -> None:
    session = (await guide.ask("help"))["session_id"]
    await guide.end()

    environment = scripted_environment(project)
    del environment["CLAUDE_SCRIPT"]
    async with started(SCRIPTED, project, environment, "--resume", session) as agent:
        assert "> help" in (await agent.ask("what did I say before?"))["result"]


async def test_a_slow_answer_can_be_stopped(guide: Agent) -> None:
    guide.say("slow")
    await guide.until(lambda line: line["type"] == "stream_event" and "delta" in line["event"])
    guide.control("stop", subtype="interrupt")

    assert (await guide.result())["terminal_reason"] == "aborted_streaming"


async def test_a_crash_is_a_crash(guide: Agent) -> None:
    guide.say("crash")

    async with asyncio.timeout(10):
        assert await guide.process.wait() == 1
    assert "asked to crash" in guide.errors.read_text()


def test_the_first_known_word_counts() -> None:
    assert choose("plan the questions") is choose("plan")
