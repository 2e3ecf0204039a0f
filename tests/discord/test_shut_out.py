"""A bot that Discord lets in no more does not sit there deaf: it says why, ends what it started, and leaves."""

from pathlib import Path

import pytest

from sandbox.script import Hang, Say, script
from tests.fixtures.command_line import BOUND, running
from tests.fixtures.scripted_house import gone, processes, scripted
from tests.fixtures.workshop import Workshop


@pytest.mark.parametrize(
    ("code", "says"), [(4004, "Discord does not accept the bot token."), (4014, "Switch on «Message Content Intent»")]
)
async def test_a_connection_that_is_over_for_good_ends_the_bot(
    workshop: Workshop, tmp_path: Path, code: int, says: str
) -> None:
    house = scripted(workshop, tmp_path, {"hang": script([Say("I am thinking."), Hang()])})
    async with running(house) as bot:
        thread = await house.say("hang")
        await house.ada.sees(thread, "I am thinking.", within=BOUND)
        left = [process for process in processes(house) if process.pid != bot.process.pid]
        house.discord.gateway.close_with(code)
        await bot.process.wait()
    assert bot.process.returncode == 2
    assert says in bot.said.splitlines()[-1]
    assert await gone(left) == []


async def test_a_connection_that_only_breaks_comes_back(workshop: Workshop, tmp_path: Path) -> None:
    house = scripted(workshop, tmp_path, {"greet": script([Say("Hello.")])})
    async with running(house):
        house.discord.gateway.close_with(4000)
        thread = await house.say("greet")
        await house.ada.sees(thread, "Hello.", within=BOUND)
