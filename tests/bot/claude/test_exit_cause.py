"""Tests the message about a missing or dying `claude`: the cause, the end of its stderr, and how to continue."""

import shutil
import sys
from pathlib import Path

import psutil
import pytest

from sandbox.scripts.script import Complain, Exit, Say, Use, script
from tests.fixtures.bot_setup import SCRIPTED, BotSetup, buttons, shown
from tests.fixtures.discord_server import DiscordServer
from tests.fixtures.scripted_setup import scripted

SCRIPTS = {
    "hello": script([Say("Hello, I am here.")]),
    "break": script([Say("Half a sen"), Complain("Segmentation fault in the flux capacitor"), Exit(3)]),
    "ask": script([Use("Bash", {"command": "touch made.txt"})]),
}


@pytest.fixture
def setup(discord_server: DiscordServer, tmp_path: Path) -> BotSetup:
    return scripted(discord_server, tmp_path, SCRIPTS)


async def test_a_claude_that_is_missing(setup: BotSetup) -> None:
    program = setup.root / "bin" / "claude"
    setup.command = (str(program),)
    async with setup.bot():
        thread = await setup.say("hello")
        told = await setup.ada.sees(thread, "There is no program")
        assert str(program) in told.text
        assert "Install Claude Code" in told.text
        program.parent.mkdir()
        program.write_text(f'#!/bin/sh\nexec {" ".join(SCRIPTED)} "$@"\n')
        program.chmod(0o755)
        await setup.ada.write(thread, "hello again")
        await setup.ada.sees(thread, "Hello, I am here.")


async def test_a_claude_that_may_not_be_run(setup: BotSetup) -> None:
    program = setup.root / "claude-program"
    program.write_text("")
    setup.command = (str(program),)
    async with setup.bot():
        thread = await setup.say("hello")
        await setup.ada.sees(thread, "can't be started: Permission denied.")


async def test_a_claude_that_crashes_at_its_start(setup: BotSetup) -> None:
    setup.command = (sys.executable, "-c", "raise SystemExit('error: unknown option --input-format')")
    async with setup.bot():
        thread = await setup.say("hello")
        told = await setup.ada.sees(thread, "Claude's process ended")
        assert "exit 1" in told.text
        assert "Send a message" in told.text
        assert "error: unknown option --input-format" in setup.text(thread)
        assert setup.text(thread).count("⚠️") == 1


async def test_a_claude_that_is_killed_at_its_start(setup: BotSetup) -> None:
    setup.command = (sys.executable, "-c", "import os, signal; os.kill(os.getpid(), signal.SIGKILL)")
    async with setup.bot():
        thread = await setup.say("hello")
        await setup.ada.sees(thread, "SIGKILL")


async def test_a_claude_that_exits_in_the_middle_of_a_turn(setup: BotSetup) -> None:
    async with setup.bot():
        thread = await setup.say("break")
        told = await setup.ada.sees(thread, "Claude's process ended in the middle of the turn (exit 3)")
        assert "Send a message to continue" in told.text
        text = setup.text(thread)
        assert "Half a sen" in text
        assert "Segmentation fault in the flux capacitor" in text
        assert text.count("⚠️") == 1
        await setup.ada.write(thread, "hello")
        await setup.ada.sees(thread, "Hello, I am here.")


async def test_a_claude_that_dies_while_it_waits_withdraws_its_card(setup: BotSetup) -> None:
    async with setup.bot() as running:
        thread = await setup.say("ask")
        card = await setup.card(thread, "touch made.txt")
        conversation = await running.conversations.find(thread.id)
        assert conversation is not None
        process = conversation.status().process
        assert process is not None
        psutil.Process(process).kill()
        await setup.ada.sees(thread, lambda m: m is card and not buttons(m))
        assert "✅" not in shown(card)
        assert not (setup.project / "made.txt").exists()


async def test_a_project_folder_that_goes_away_and_comes_back(setup: BotSetup) -> None:
    async with setup.bot():
        shutil.rmtree(setup.project)
        thread = await setup.say("hello")
        told = await setup.ada.sees(thread, "The project's folder")
        assert "no longer exists. Restore it" in told.text
        setup.project.mkdir()
        await setup.ada.write(thread, "hello")
        await setup.ada.sees(thread, "Hello, I am here.")
