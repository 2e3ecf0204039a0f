"""A `claude` that is missing or does not stay: one sentence with the cure, the end of its stderr, and life goes on."""

import shutil
import sys
from pathlib import Path

import psutil
import pytest

from sandbox.script import Complain, Exit, Say, Use, script
from tests.fixtures.house import SCRIPTED, House, buttons, shown
from tests.fixtures.scripted_house import scripted
from tests.fixtures.workshop import Workshop

SCRIPTS = {
    "hello": script([Say("Hello, I am here.")]),
    "break": script([Say("Half a sen"), Complain("Segmentation fault in the flux capacitor"), Exit(3)]),
    "ask": script([Use("Bash", {"command": "touch made.txt"})]),
}


@pytest.fixture
def house(workshop: Workshop, tmp_path: Path) -> House:
    return scripted(workshop, tmp_path, SCRIPTS)


async def test_a_claude_that_is_missing(house: House) -> None:
    program = house.root / "bin" / "claude"
    house.command = (str(program),)
    async with house.bot():
        thread = await house.say("hello")
        told = await house.ada.sees(thread, "There is no program")
        assert str(program) in told.text
        assert "Install Claude Code" in told.text
        program.parent.mkdir()
        program.write_text(f'#!/bin/sh\nexec {" ".join(SCRIPTED)} "$@"\n')
        program.chmod(0o755)
        await house.ada.write(thread, "hello again")
        await house.ada.sees(thread, "Hello, I am here.")


async def test_a_claude_that_may_not_be_run(house: House) -> None:
    program = house.root / "claude-program"
    program.write_text("")
    house.command = (str(program),)
    async with house.bot():
        thread = await house.say("hello")
        await house.ada.sees(thread, "can't be started: Permission denied.")


async def test_a_claude_that_crashes_at_its_start(house: House) -> None:
    house.command = (sys.executable, "-c", "raise SystemExit('error: unknown option --input-format')")
    async with house.bot():
        thread = await house.say("hello")
        told = await house.ada.sees(thread, "Claude's process ended")
        assert "exit 1" in told.text
        assert "write again" in told.text
        assert "error: unknown option --input-format" in house.text(thread)
        assert house.text(thread).count("⚠️") == 1


async def test_a_claude_that_is_killed_at_its_start(house: House) -> None:
    house.command = (sys.executable, "-c", "import os, signal; os.kill(os.getpid(), signal.SIGKILL)")
    async with house.bot():
        thread = await house.say("hello")
        await house.ada.sees(thread, "SIGKILL")


async def test_a_claude_that_exits_in_the_middle_of_a_turn(house: House) -> None:
    async with house.bot():
        thread = await house.say("break")
        told = await house.ada.sees(thread, "Claude's process ended in the middle of the turn (exit 3)")
        assert "write again to go on" in told.text
        text = house.text(thread)
        assert "Half a sen" in text
        assert "Segmentation fault in the flux capacitor" in text
        assert text.count("⚠️") == 1
        await house.ada.write(thread, "hello")
        await house.ada.sees(thread, "Hello, I am here.")


async def test_a_claude_that_dies_while_it_waits_withdraws_its_card(house: House) -> None:
    async with house.bot() as conversations:
        thread = await house.say("ask")
        card = await house.card(thread, "touch made.txt")
        conversation = await conversations.find(thread.id)
        assert conversation is not None
        process = conversation.status().process
        assert process is not None
        psutil.Process(process).kill()
        await house.ada.sees(thread, lambda m: m is card and not buttons(m))
        assert "✅" not in shown(card)
        assert not (house.project / "made.txt").exists()


async def test_a_project_folder_that_goes_away_and_comes_back(house: House) -> None:
    async with house.bot():
        shutil.rmtree(house.project)
        thread = await house.say("hello")
        told = await house.ada.sees(thread, "The project's folder")
        assert "is gone. Bring it back" in told.text
        house.project.mkdir()
        await house.ada.write(thread, "hello")
        await house.ada.sees(thread, "Hello, I am here.")
