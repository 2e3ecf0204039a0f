"""Tests a `claude` that hangs, babbles, stops midway or forgets: one sentence, a way to continue, no leftovers."""

import json
import shutil
import sys
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from bot.claude import process
from bot.conversations.agent import Agent
from sandbox.discord import serve
from sandbox.scripts.script import Complain, Exit, RawLine, Say, Use, script
from tests.fixtures.bot_setup import SCRIPTED, BotSetup
from tests.fixtures.discord_openapi import judge
from tests.fixtures.discord_server import DiscordServer, new_server
from tests.fixtures.scripted_setup import gone, processes, scripted

SCRIPTS = {
    "remember": script([Say("The secret word is platypus.")]),
    "hello": script([Say("Hello, I am here.")]),
    "babble": script([Complain("x" * 1_000_000 + "\nthe last word"), Exit(3)]),
    "tomorrow": script([RawLine('{"type": "telepathy", "version": 3}'), Say("All is well.")]),
    "ask and go": script([Use("Bash", {"command": "touch made.txt"})]),
}


@pytest.fixture
async def discord_server() -> AsyncIterator[DiscordServer]:
    async with serve(judge=judge) as discord:
        yield new_server(discord)
        assert discord.violations == []


@pytest.fixture
def setup(discord_server: DiscordServer, tmp_path: Path) -> BotSetup:
    return scripted(discord_server, tmp_path, SCRIPTS)


async def heard_before(_: Agent) -> bool:
    """Replace the interrupt of a second stop, when the first was already sent."""
    return False


async def test_one_that_hears_nothing_is_ended_by_a_second_stop(
    setup: BotSetup, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(process, "ABORT_GRACE", 0.3)
    monkeypatch.setattr(process, "TERM_GRACE", 0.3)
    deaf = "import signal, time\nfor n in (2, 15): signal.signal(n, signal.SIG_IGN)\nwhile True: time.sleep(60)"
    setup.command = (sys.executable, "-c", deaf)
    async with setup.bot() as running:
        thread = await setup.say("hello")
        await setup.ada.sees_typing(thread)
        conversation = await running.conversations.find(thread.id)
        assert conversation is not None
        assert conversation.status().doing == "working"
        monkeypatch.setattr(
            Agent, "interrupt", heard_before
        )  # as after a first /stop, without waiting ten seconds for it
        answer = await setup.ada.command(thread, "stop")
        assert "ended" in (await answer.finished(within=20)).text
        assert await gone(processes(setup)) == []


async def test_a_stderr_of_a_megabyte_is_cut_to_its_end(setup: BotSetup) -> None:
    async with setup.bot():
        thread = await setup.say("babble")
        await setup.ada.sees(thread, "the last word")
        assert len(setup.text(thread)) < 4000


async def test_half_a_line_without_an_end_is_the_last_word(setup: BotSetup) -> None:
    line = json.dumps({"type": "assistant", "message": {"id": "m", "content": [{"type": "text", "text": "Half"}]}})
    setup.command = (sys.executable, "-c", f"import sys; sys.stdin.readline(); sys.stdout.write({line[:60]!r})")
    async with setup.bot():
        thread = await setup.say("hello")
        told = await setup.ada.sees(thread, "Claude's process ended")
        assert "Send a message" in told.text


async def test_a_disk_that_is_full_while_it_writes_ends_the_turn_and_not_the_bot(setup: BotSetup) -> None:
    """A process with a limit on file sizes gets the same error as one on a full disk."""
    setup.command = ("/bin/sh", "-c", 'ulimit -f 4; exec "$0" "$@"', *SCRIPTED)
    async with setup.bot():
        thread = await setup.say("remember")
        told = await setup.ada.sees(thread, "Claude's process ended", within=20)
        assert "Send a message" in told.text
        answer = await setup.ada.command(thread, "status")
        assert not answer.failed


async def test_a_newer_one_with_unknown_events_is_simply_heard(setup: BotSetup) -> None:
    async with setup.bot():
        thread = await setup.say("tomorrow")
        await setup.done(thread)
        assert "All is well." in setup.text(thread)
        assert "⚠️" not in setup.text(thread)


async def test_a_session_that_is_lost_is_followed_by_one_that_knows_what_was_said(
    discord_server: DiscordServer, tmp_path: Path
) -> None:
    book = tmp_path / "book.py"
    book.write_text(
        "from sandbox.scripts.script import Say, script\n"
        "SCRIPTS = {'remember': script([Say('The secret word is platypus.')]),"
        " 'What was it': script(lambda seen: [Say(f'I was told: {seen.prompt} | {seen.notes}')])}\n",
        encoding="utf-8",
    )
    setup = scripted(discord_server, tmp_path, {})
    setup.environment = dict(setup.environment) | {"CLAUDE_SCRIPT": str(book)}
    async with setup.bot() as running:
        thread = await setup.say("remember")
        await setup.done(thread)
        conversation = await running.conversations.find(thread.id)
        assert conversation is not None
        await conversation.suspend("a test")
        shutil.rmtree(tmp_path / "claude")
        await setup.ada.write(thread, "What was it?")
        await setup.ada.sees(thread, "no longer knows this session")
        await setup.ada.write(thread, "What was it?")
        told = await setup.ada.sees(thread, "I was told:", within=20)
        assert "platypus" in told.text
