"""Tests the faults that the sandbox's Discord can have."""

import asyncio

import aiohttp
import hikari
import pytest

from sandbox.discord import DroppedConnection, ErrorAnswer, SlowAnswer
from tests.fixtures.discord_server import DiscordServer
from tests.sandbox.discord.hikari_bot import Bot
from tests.sandbox.discord.raw_client import client

MESSAGES = "/channels/{channel_id}/messages"


async def test_a_planned_failure_is_met_once(discord_server: DiscordServer) -> None:
    discord_server.discord.faults.plan(ErrorAnswer(503), MESSAGES, method="POST")
    async with client(discord_server.discord) as send:
        path = f"/channels/{discord_server.channel.id}/messages"
        statuses = [(await send("POST", path, {"content": "x"})).status for _ in range(2)]
    assert statuses == [503, 200]
    assert len(discord_server.ada.messages(discord_server.channel)) == 1


async def test_a_failure_after_the_work_doubles_a_message_unless_it_has_a_nonce(
    discord_server: DiscordServer, bot: Bot
) -> None:
    discord_server.discord.faults.plan(ErrorAnswer(500, after=True), MESSAGES, method="POST")
    await bot.rest.create_message(discord_server.channel.id, "careless")
    assert len(discord_server.ada.messages(discord_server.channel)) == 2
    discord_server.discord.faults.plan(ErrorAnswer(500, after=True), MESSAGES, method="POST")
    await bot.rest.create_message(discord_server.channel.id, "careful", nonce="n-1")
    assert [each.text for each in discord_server.ada.messages(discord_server.channel)].count("careful") == 1


async def test_a_429_says_how_long(discord_server: DiscordServer, bot: Bot) -> None:
    discord_server.discord.faults.plan(ErrorAnswer(429, retry_after=0.05), MESSAGES)
    await bot.rest.create_message(discord_server.channel.id, "later")
    discord_server.discord.faults.plan(ErrorAnswer(429, retry_after=1000), MESSAGES)
    with pytest.raises(hikari.RateLimitTooLongError):
        await bot.rest.create_message(discord_server.channel.id, "much later")


async def test_a_dropped_connection_has_no_answer(discord_server: DiscordServer) -> None:
    path = f"/channels/{discord_server.channel.id}/messages"
    async with client(discord_server.discord) as send:
        for drop, stands in ((DroppedConnection(), 0), (DroppedConnection(after=True), 1)):
            discord_server.discord.faults.plan(drop, "/channels/*")
            with pytest.raises(aiohttp.ClientConnectionError):
                await send("POST", path, {"content": "x"})
            assert len(discord_server.ada.messages(discord_server.channel)) == stands


async def test_a_held_request_waits_until_it_is_let_go(discord_server: DiscordServer) -> None:
    path = f"/channels/{discord_server.channel.id}/messages"
    async with client(discord_server.discord) as send:
        with discord_server.discord.faults.held(MESSAGES) as released:
            waiting = asyncio.create_task(send("POST", path, {"content": "held"}))
            assert (await send("GET", "/users/@me")).status == 200
            assert not waiting.done()
            released.set()
            assert (await waiting).status == 200
        discord_server.discord.faults.plan(SlowAnswer(0.01), MESSAGES)
        assert (await send("POST", path, {"content": "slow"})).status == 200


async def test_what_the_sandbox_does_not_know_is_a_violation(discord_server: DiscordServer) -> None:
    async with client(discord_server.discord) as send:
        await send("GET", "/soundboard-default-sounds")
    assert "no such route" in discord_server.discord.violations[0]
