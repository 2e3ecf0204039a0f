"""Tests that /help and docs/commands.md have every command."""

from pathlib import Path

from bot.render.replies.help import COMMANDS
from tests.fixtures.bot_setup import BotSetup


async def test_help_names_every_command(setup: BotSetup) -> None:
    async with setup.bot():
        text = (await setup.ada.command(setup.channel, "help")).text
        world = setup.discord.world
        commands = [each for place in world.application.commands.values() for each in place.values()]
    assert len(text) <= 2000
    assert {command["name"] for command in commands if command["type"] == 1} == set(COMMANDS)
    documented = Path(__file__).parents[4].joinpath("docs", "commands.md").read_text(encoding="utf-8")
    for command in commands:
        if command["type"] == 1:
            assert f"`/{command['name']}" in documented, f"docs/commands.md does not tell of /{command['name']}"
