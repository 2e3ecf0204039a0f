"""A `claude` that hangs, babbles, breaks off, or has forgotten: one sentence, the way on, and nothing stays behind."""

import json
import shutil
import sys
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from bot.claude import process
from bot.conversations.agent import Agent
from sandbox.discord import serve
from sandbox.script import Complain, Exit, RawLine, Say, Use, script
from tests.fixtures.discord_judge import judge
from tests.fixtures.house import SCRIPTED, House
from tests.fixtures.scripted_house import gone, processes, scripted
from tests.fixtures.workshop import Workshop, found

SCRIPTS = {
    "remember": script([Say("The secret word is platypus.")]),
    "hello": script([Say("Hello, I am here.")]),
    "babble": script([Complain("x" * 1_000_000 + "\nthe last word"), Exit(3)]),
    "tomorrow": script([RawLine('{"type": "telepathy", "version": 3}'), Say("All is well.")]),
    "ask and go": script([Use("Bash", {"command": "touch made.txt"})]),
}


@pytest.fixture
async def workshop() -> AsyncIterator[Workshop]:
    async with serve(judge=judge) as discord:
        yield found(discord)
        assert discord.violations == []


@pytest.fixture
def house(workshop: Workshop, tmp_path: Path) -> House:
    return scripted(workshop, tmp_path, SCRIPTS)


async def heard_before(_: Agent) -> bool:
    """Stand for the interrupt of a second stop: the first has been sent already."""
    return False


async def test_one_that_hears_nothing_is_ended_by_a_second_stop(house: House, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(process, "ABORT_GRACE", 0.3)
    monkeypatch.setattr(process, "TERM_GRACE", 0.3)
    deaf = "import signal, time\nfor n in (2, 15): signal.signal(n, signal.SIG_IGN)\nwhile True: time.sleep(60)"
    house.command = (sys.executable, "-c", deaf)
    async with house.bot() as conversations:
        thread = await house.say("hello")
        await house.ada.sees_typing(thread)
        conversation = await conversations.find(thread.id)
        assert conversation is not None
        assert conversation.status().doing == "working"
        monkeypatch.setattr(
            Agent, "interrupt", heard_before
        )  # the first /stop, whose ten seconds of waiting we spare ourselves
        answer = await house.ada.command(thread, "stop")
        assert "ended" in (await answer.finished(within=20)).text
        assert await gone(processes(house)) == []


async def test_a_stderr_of_a_megabyte_is_cut_to_its_end(house: House) -> None:
    async with house.bot():
        thread = await house.say("babble")
        await house.ada.sees(thread, "the last word")
        assert len(house.text(thread)) < 4000


async def test_half_a_line_without_an_end_is_the_last_word(house: House) -> None:
    line = json.dumps({"type": "assistant", "message": {"id": "m", "content": [{"type": "text", "text": "Half"}]}})
    house.command = (sys.executable, "-c", f"import sys; sys.stdin.readline(); sys.stdout.write({line[:60]!r})")
    async with house.bot():
        thread = await house.say("hello")
        told = await house.ada.sees(thread, "Claude's process ended")
        assert "write again" in told.text


async def test_a_disk_that_is_full_while_it_writes_ends_the_turn_and_not_the_bot(house: House) -> None:
    """A process that may write no more than so many bytes sees what one on a full disk sees."""
    house.command = ("/bin/sh", "-c", 'ulimit -f 4; exec "$0" "$@"', *SCRIPTED)
    async with house.bot():
        thread = await house.say("remember")
        told = await house.ada.sees(thread, "Claude's process ended", within=20)
        assert "write again" in told.text
        answer = await house.ada.command(thread, "status")
        assert not answer.failed


async def test_a_newer_one_with_unknown_events_is_simply_heard(house: House) -> None:
    async with house.bot():
        thread = await house.say("tomorrow")
        await house.done(thread)
        assert "All is well." in house.text(thread)
        assert "⚠️" not in house.text(thread)


async def test_a_session_that_is_lost_is_followed_by_one_that_knows_what_was_said(
    workshop: Workshop, tmp_path: Path
) -> None:
    book = tmp_path / "book.py"
    book.write_text(
        "from sandbox.script import Say, script\n"
        "SCRIPTS = {'remember': script([Say('The secret word is platypus.')]),"
        " 'What was it': script(lambda seen: [Say(f'I was told: {seen.prompt} | {seen.notes}')])}\n",
        encoding="utf-8",
    )
    house = scripted(workshop, tmp_path, {})
    house.environment = dict(house.environment) | {"CLAUDE_SCRIPT": str(book)}
    async with house.bot() as conversations:
        thread = await house.say("remember")
        await house.done(thread)
        conversation = await conversations.find(thread.id)
        assert conversation is not None
        await conversation.rest("a test")
        shutil.rmtree(tmp_path / "claude")
        await house.ada.write(thread, "What was it?")
        await house.ada.sees(thread, "no longer knows this session")
        await house.ada.write(thread, "What was it?")
        told = await house.ada.sees(thread, "I was told:", within=20)
        assert "platypus" in told.text
