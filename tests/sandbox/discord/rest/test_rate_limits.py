"""Tests rate limits with a careful and a careless client."""

import asyncio
import time

import hikari
import pytest

from sandbox.discord import TimeLimits
from tests.fixtures.discord_server import DiscordServer
from tests.sandbox.discord.hikari_bot import Bot
from tests.sandbox.discord.raw_client import client

FAST = 10.0


@pytest.fixture
def pace() -> TimeLimits:
    return TimeLimits(speed=FAST)


async def test_the_sixth_message_is_refused_and_told_when_to_come_back(discord_server: DiscordServer) -> None:
    path = f"/channels/{discord_server.channel.id}/messages"
    async with client(discord_server.discord) as send:
        replies = [await send("POST", path, {"content": str(each)}) for each in range(6)]
        assert [each.status for each in replies] == [200] * 5 + [429]
        assert [each.headers["X-RateLimit-Remaining"] for each in replies[:5]] == list("43210")
        refused = replies[-1]
        assert set(refused.body) == {"message", "retry_after", "global"}
        assert refused.headers["X-RateLimit-Scope"] == "user"
        assert 0 < refused.body["retry_after"] <= 5 / FAST
        assert refused.headers["X-RateLimit-Bucket"] == replies[0].headers["X-RateLimit-Bucket"]
        other = discord_server.discord.world.add_channel(discord_server.guild, "other")
        assert (await send("POST", f"/channels/{other.id}/messages", {"content": "x"})).status == 200


async def test_fifty_requests_a_second_are_all(discord_server: DiscordServer) -> None:
    async with client(discord_server.discord) as send:
        world, guild = discord_server.discord.world, discord_server.guild
        channels = [world.add_channel(guild, f"c{each}") for each in range(80)]
        replies = await asyncio.gather(*(send("GET", f"/channels/{each.id}") for each in channels))
    refused = [each for each in replies if each.status == 429]
    assert refused
    assert all(each.body["global"] for each in refused)
    assert refused[0].headers["X-RateLimit-Global"] == "true"


async def test_a_third_new_name_has_to_wait_for_minutes(discord_server: DiscordServer) -> None:
    async with client(discord_server.discord) as send:
        made = await send("POST", f"/channels/{discord_server.channel.id}/threads", {"name": "a", "type": 11})
        path = f"/channels/{made.body['id']}"
        statuses = [(await send("PATCH", path, {"name": name})).status for name in ("b", "c", "c")]
        assert statuses == [200, 200, 200]  # the same name changes nothing
        refused = await send("PATCH", path, {"name": "d"})
        assert refused.status == 429
        assert refused.body["retry_after"] > 10
        assert refused.headers["X-RateLimit-Scope"] == "shared"


async def test_answers_to_interactions_are_never_limited(discord_server: DiscordServer) -> None:
    async with client(discord_server.discord) as send:
        replies = [await send("POST", "/interactions/1/t/callback", {"type": 4}) for _ in range(120)]
    assert {each.status for each in replies} == {404}


async def test_hikari_keeps_to_the_limits_by_itself(discord_server: DiscordServer, bot: Bot) -> None:
    message = await bot.rest.create_message(discord_server.channel.id, "0")
    started = time.monotonic()
    for each in range(1, 16):
        await bot.rest.edit_message(discord_server.channel.id, message.id, str(each))
    assert time.monotonic() - started > 2 * 5 / FAST * 0.5
    assert [each.status for each in discord_server.discord.requests if each.status == 429] == []


async def test_hikari_waits_after_a_429_and_tries_again(discord_server: DiscordServer, bot: Bot) -> None:
    path = f"/channels/{discord_server.channel.id}/messages"
    async with client(discord_server.discord) as other:
        for each in range(5):
            await other("POST", path, {"content": str(each)})
    await bot.rest.create_message(discord_server.channel.id, "at last")
    await discord_server.ada.sees(discord_server.channel, "at last")
    assert 429 in [each.status for each in discord_server.discord.requests]


class TestWithNoLimits:
    @pytest.fixture
    def pace(self) -> TimeLimits:
        return TimeLimits(speed=float("inf"))

    async def test_nothing_waits(self, discord_server: DiscordServer, bot: Bot) -> None:
        async with asyncio.timeout(5):
            for each in range(30):
                await bot.rest.create_message(discord_server.channel.id, str(each))
        assert isinstance(bot.app, hikari.GatewayBot)
        assert len(discord_server.ada.messages(discord_server.channel)) == 30
