"""Discord on a bad day."""

import asyncio

import aiohttp
import hikari
import pytest

from sandbox.discord import DroppedConnection, ErrorAnswer, SlowAnswer
from tests.fixtures.workshop import Workshop
from tests.sandbox_discord.hikari_bot import Bot
from tests.sandbox_discord.raw import client

MESSAGES = "/channels/{channel_id}/messages"


async def test_a_planned_failure_is_met_once(workshop: Workshop) -> None:
    workshop.discord.faults.plan(ErrorAnswer(503), MESSAGES, method="POST")
    async with client(workshop.discord) as send:
        path = f"/channels/{workshop.channel.id}/messages"
        statuses = [(await send("POST", path, {"content": "x"})).status for _ in range(2)]
    assert statuses == [503, 200]
    assert len(workshop.ada.messages(workshop.channel)) == 1


async def test_a_failure_after_the_work_doubles_a_message_unless_it_has_a_nonce(workshop: Workshop, bot: Bot) -> None:
    workshop.discord.faults.plan(ErrorAnswer(500, after=True), MESSAGES, method="POST")
    await bot.rest.create_message(workshop.channel.id, "careless")
    assert len(workshop.ada.messages(workshop.channel)) == 2
    workshop.discord.faults.plan(ErrorAnswer(500, after=True), MESSAGES, method="POST")
    await bot.rest.create_message(workshop.channel.id, "careful", nonce="n-1")
    assert [each.text for each in workshop.ada.messages(workshop.channel)].count("careful") == 1


async def test_a_429_says_how_long(workshop: Workshop, bot: Bot) -> None:
    workshop.discord.faults.plan(ErrorAnswer(429, retry_after=0.05), MESSAGES)
    await bot.rest.create_message(workshop.channel.id, "later")
    workshop.discord.faults.plan(ErrorAnswer(429, retry_after=1000), MESSAGES)
    with pytest.raises(hikari.RateLimitTooLongError):
        await bot.rest.create_message(workshop.channel.id, "much later")


async def test_a_dropped_connection_has_no_answer(workshop: Workshop) -> None:
    path = f"/channels/{workshop.channel.id}/messages"
    async with client(workshop.discord) as send:
        for drop, stands in ((DroppedConnection(), 0), (DroppedConnection(after=True), 1)):
            workshop.discord.faults.plan(drop, "/channels/*")
            with pytest.raises(aiohttp.ClientConnectionError):
                await send("POST", path, {"content": "x"})
            assert len(workshop.ada.messages(workshop.channel)) == stands


async def test_a_held_request_waits_until_it_is_let_go(workshop: Workshop) -> None:
    path = f"/channels/{workshop.channel.id}/messages"
    async with client(workshop.discord) as send:
        with workshop.discord.faults.held(MESSAGES) as released:
            waiting = asyncio.create_task(send("POST", path, {"content": "held"}))
            assert (await send("GET", "/users/@me")).status == 200
            assert not waiting.done()
            released.set()
            assert (await waiting).status == 200
        workshop.discord.faults.plan(SlowAnswer(0.01), MESSAGES)
        assert (await send("POST", path, {"content": "slow"})).status == 200


async def test_what_the_sandbox_does_not_know_is_a_violation(workshop: Workshop) -> None:
    async with client(workshop.discord) as send:
        await send("GET", "/soundboard-default-sounds")
    assert "no such route" in workshop.discord.violations[0]
