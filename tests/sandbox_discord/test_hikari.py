"""Unmodified hikari and lightbulb live in the sandbox as in Discord."""

import asyncio

import hikari
import pytest

from sandbox.discord import PersonCannotError
from tests.sandbox_discord.conftest import Workshop
from tests.sandbox_discord.hikari_bot import Bot


def buttons(*ids: str) -> list[hikari.impl.MessageActionRowBuilder]:
    row = hikari.impl.MessageActionRowBuilder()
    for each in ids:
        row.add_interactive_button(hikari.ButtonStyle.PRIMARY, each, label=each.title())
    return [row]


async def test_a_bot_becomes_ready_and_registers_its_commands(workshop: Workshop, bot: Bot) -> None:
    assert bot.app.is_alive
    commands = workshop.discord.world.application.commands[workshop.guild.id]
    assert {each["name"] for each in commands.values()} == {"status", "later", "pick", "session", "Ask about this"}


async def test_a_button_press_changes_the_message(workshop: Workshop, bot: Bot) -> None:
    await bot.rest.create_message(workshop.channel.id, "may I?", components=buttons("allow"))
    message = await workshop.ada.sees(workshop.channel, "may I?")
    answer = await workshop.ada.click(message, "Allow")
    assert not answer.failed
    assert answer.took < 1
    assert message.text == "allowed by ada"
    with pytest.raises(PersonCannotError, match="There is no 'Allow'"):
        await workshop.ada.click(message, "Allow")
