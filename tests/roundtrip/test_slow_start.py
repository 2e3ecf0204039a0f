"""A machine under load: the permission server takes long to start, and the oldest CLI still waits for it."""

import sys
from pathlib import Path

import pytest

from sandbox.messages_api import MessagesApi
from sandbox.script import Say, Use, script
from tests.fixtures.house import House
from tests.fixtures.workshop import Workshop

SECONDS = 4
"""More than the two that an older CLI gives a server by default."""


async def test_claude_waits_for_a_permission_server_that_starts_slowly(
    workshop: Workshop, api: MessagesApi, tmp_path: Path, old_claude: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    slow = tmp_path / "python"
    slow.write_text(f'#!/bin/sh\nsleep {SECONDS}\nexec "{sys.executable}" "$@"\n')
    slow.chmod(0o700)
    monkeypatch.setattr(sys, "executable", str(slow))
    home = tmp_path / "home"
    home.mkdir()
    house = House(workshop, tmp_path, (str(old_claude),), api.environment(home))
    api.on("make a file", script([Use("Bash", {"command": "touch made.txt"})], [Say("It is there.")]))
    async with house.bot():
        thread = await house.say("Please make a file")
        card = await house.card(thread, "touch made.txt")
        await house.ada.click(card, "Allow")
        await house.ada.sees(thread, "It is there.")
        assert (house.project / "made.txt").exists()
        await house.done(thread)
