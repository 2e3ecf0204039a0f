"""Tests what the page gets: a snapshot and every later dispatch, as one person sees them."""

import asyncio
import json

import hikari

from tests.fixtures.discord_server import DiscordServer
from tests.sandbox.discord.hikari_bot import Bot
from tests.sandbox.discord.test_hikari import buttons


async def test_a_snapshot_holds_what_one_person_sees(discord_server: DiscordServer, bot: Bot) -> None:
    world = discord_server.discord.world
    hidden = world.add_channel(discord_server.guild, "developers-only")
    hidden.deny(discord_server.guild.everyone)
    await bot.rest.create_message(discord_server.channel.id, "psst", components=buttons("secret"))
    await discord_server.ada.click(await discord_server.ada.sees(discord_server.channel, "psst"), "Secret")
    shown = {}
    for person in (discord_server.ada, discord_server.eve):
        snapshot = json.loads(json.dumps(world.snapshot(person.user)))
        [guild] = snapshot["guilds"]
        assert {each["name"] for each in guild["commands"]} >= {"status", "pick"}
        shown[person] = {each["name"]: [m["content"] for m in each["messages"]] for each in guild["channels"]}
    assert shown[discord_server.ada] == {"general": ["psst", "only for you"]}
    assert shown[discord_server.eve] == {"general": ["psst"]}


async def test_changes_stream_to_those_who_see_them(discord_server: DiscordServer, bot: Bot) -> None:
    world = discord_server.discord.world
    await bot.rest.create_message(discord_server.channel.id, "psst", components=buttons("secret", "form"))
    message = await discord_server.ada.sees(discord_server.channel, "psst")
    with world.subscribe(discord_server.ada.user) as hers, world.subscribe(discord_server.eve.user) as others:
        await discord_server.ada.click(message, "Secret")
        await discord_server.ada.click(message, "Form")
        await discord_server.eve.write(discord_server.channel, "anything?")
        async with asyncio.timeout(5):
            seen = [(await anext(hers)).event for _ in range(5)]
            first = await anext(others)
    assert seen == [
        "MESSAGE_CREATE",
        "INTERACTION_SUCCESS",
        "INTERACTION_MODAL_CREATE",
        "INTERACTION_SUCCESS",
        "MESSAGE_CREATE",
    ]
    assert first.data["content"] == "anything?"
    assert isinstance(bot.app, hikari.GatewayBot)
