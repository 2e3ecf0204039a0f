"""Tests that on a busy machine the oldest CLI still waits for a permission server that starts slowly."""

import sys
from pathlib import Path

import pytest

from sandbox.messages_api.server import MessagesApi
from sandbox.scripts.script import Say, Use, script
from tests.fixtures.bot_setup import BotSetup
from tests.fixtures.discord_server import DiscordServer

SECONDS = 4
"""More than the two seconds that an older CLI gives a server by default."""


async def test_claude_waits_for_a_permission_server_that_starts_slowly(
    discord_server: DiscordServer, api: MessagesApi, tmp_path: Path, old_claude: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    slow = tmp_path / "python"
    slow.write_text(f'#!/bin/sh\nsleep {SECONDS}\nexec "{sys.executable}" "$@"\n')
    slow.chmod(0o700)
    monkeypatch.setattr(sys, "executable", str(slow))
    home = tmp_path / "home"
    home.mkdir()
    setup = BotSetup(discord_server, tmp_path, (str(old_claude),), api.environment(home))
    api.on("make a file", script([Use("Bash", {"command": "touch made.txt"})], [Say("It is there.")]))
    async with setup.bot():
        thread = await setup.say("Please make a file")
        card = await setup.card(thread, "touch made.txt")
        await setup.ada.click(card, "Allow")
        await setup.ada.sees(thread, "It is there.")
        assert (setup.project / "made.txt").exists()
        await setup.done(thread)
