"""What a web page needs: where to begin, and every change after it, as one person sees it."""

import asyncio
import json

import hikari

from tests.fixtures.workshop import Workshop
from tests.sandbox_discord.hikari_bot import Bot
from tests.sandbox_discord.test_hikari import buttons


async def test_a_snapshot_holds_what_one_person_sees(workshop: Workshop, bot: Bot) -> None:
    world = workshop.discord.world
    hidden = world.add_channel(workshop.guild, "makers-only")
    hidden.deny(workshop.guild.everyone)
    await bot.rest.create_message(workshop.channel.id, "psst", components=buttons("secret"))
    await workshop.ada.click(await workshop.ada.sees(workshop.channel, "psst"), "Secret")
    shown = {}
    for person in (workshop.ada, workshop.eve):
        snapshot = json.loads(json.dumps(world.snapshot(person.user)))
        [guild] = snapshot["guilds"]
        assert {each["name"] for each in guild["commands"]} >= {"status", "pick"}
        shown[person] = {each["name"]: [m["content"] for m in each["messages"]] for each in guild["channels"]}
    assert shown[workshop.ada] == {"general": ["psst", "only for you"]}
    assert shown[workshop.eve] == {"general": ["psst"]}


async def test_changes_stream_to_those_who_see_them(workshop: Workshop, bot: Bot) -> None:
    world = workshop.discord.world
    await bot.rest.create_message(workshop.channel.id, "psst", components=buttons("secret", "form"))
    message = await workshop.ada.sees(workshop.channel, "psst")
    with world.subscribe(workshop.ada.user) as hers, world.subscribe(workshop.eve.user) as others:
        await workshop.ada.click(message, "Secret")
        await workshop.ada.click(message, "Form")
        await workshop.eve.write(workshop.channel, "anything?")
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
