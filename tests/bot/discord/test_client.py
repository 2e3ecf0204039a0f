"""Tests that a bot that Discord no longer lets in says why, ends what it started, and exits."""

from pathlib import Path

import pytest

from sandbox.scripts.script import Hang, Say, script
from tests.fixtures.command_line import BOUND, running
from tests.fixtures.discord_server import DiscordServer
from tests.fixtures.scripted_setup import gone, processes, scripted


@pytest.mark.parametrize(
    ("code", "says"), [(4004, "Discord does not accept the bot token."), (4014, "Turn on *Message Content Intent*")]
)
async def test_a_connection_that_is_over_for_good_ends_the_bot(
    discord_server: DiscordServer, tmp_path: Path, code: int, says: str
) -> None:
    setup = scripted(discord_server, tmp_path, {"hang": script([Say("I am thinking."), Hang()])})
    async with running(setup) as bot:
        thread = await setup.say("hang")
        await setup.ada.sees(thread, "I am thinking.", within=BOUND)
        left = [process for process in processes(setup) if process.pid != bot.process.pid]
        setup.discord.gateway.close_with(code)
        await bot.process.wait()
    assert bot.process.returncode == 2
    assert says in bot.said.splitlines()[-1]
    assert await gone(left) == []


async def test_a_connection_that_only_breaks_comes_back(discord_server: DiscordServer, tmp_path: Path) -> None:
    setup = scripted(discord_server, tmp_path, {"greet": script([Say("Hello.")])})
    async with running(setup):
        setup.discord.gateway.close_with(4000)
        thread = await setup.say("greet")
        await setup.ada.sees(thread, "Hello.", within=BOUND)
