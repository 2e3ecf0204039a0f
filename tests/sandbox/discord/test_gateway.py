"""Tests gateway sessions that break, resume and end, with hikari and with a bare socket."""

import asyncio
import json
import zlib
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Any

import aiohttp
import hikari
import pytest

from tests.fixtures.discord_server import DiscordServer
from tests.sandbox.discord.hikari_bot import Bot, running

GUILD_MESSAGES = 1 << 9 | 1


@dataclass
class Socket:
    ws: aiohttp.ClientWebSocketResponse
    inflate: Any = None

    async def next(self) -> dict[str, Any]:
        async with asyncio.timeout(5):
            message = await self.ws.receive()
        assert message.type in {aiohttp.WSMsgType.TEXT, aiohttp.WSMsgType.BINARY}, message
        return json.loads(self.inflate.decompress(message.data) if self.inflate else message.data)

    async def until(self, event: str) -> dict[str, Any]:
        while (payload := await self.next())["t"] != event:
            pass
        return payload

    async def send(self, op: int, data: Any) -> None:
        await self.ws.send_str(json.dumps({"op": op, "d": data}))

    async def closed(self) -> int | None:
        async with asyncio.timeout(5):
            while (await self.ws.receive()).type not in {aiohttp.WSMsgType.CLOSE, aiohttp.WSMsgType.CLOSED}:
                pass
        return self.ws.close_code


@asynccontextmanager
async def connected(discord_server: DiscordServer, query: str = "?v=10&encoding=json") -> AsyncIterator[Socket]:
    async with (
        aiohttp.ClientSession() as session,
        session.ws_connect(discord_server.discord.gateway.url + query) as ws,
    ):
        socket = Socket(ws, zlib.decompressobj() if "zlib-stream" in query else None)
        hello = await socket.next()
        assert hello["op"] == 10
        assert hello["d"]["heartbeat_interval"] > 0
        yield socket


def identity(discord_server: DiscordServer, intents: int = GUILD_MESSAGES) -> dict[str, Any]:
    return {"token": discord_server.discord.token, "intents": intents, "properties": {}}


@pytest.mark.parametrize("query", ["?v=10&encoding=json", "?v=10&encoding=json&compress=zlib-stream"])
async def test_a_session_starts_with_ready_and_the_guilds(discord_server: DiscordServer, query: str) -> None:
    async with connected(discord_server, query) as socket:
        await socket.send(1, None)
        assert (await socket.next())["op"] == 11
        await socket.send(2, identity(discord_server))
        ready = await socket.next()
        assert (ready["t"], ready["s"]) == ("READY", 1)
        assert ready["d"]["resume_gateway_url"] == discord_server.discord.gateway.url
        guild = (await socket.next())["d"]
        assert [each["name"] for each in guild["channels"]] == ["general"]


async def test_a_broken_session_resumes_with_all_that_it_missed(discord_server: DiscordServer) -> None:
    async with connected(discord_server) as socket:
        await socket.send(2, identity(discord_server))
        session = (await socket.until("READY"))["d"]["session_id"]
        seen = (await socket.until("GUILD_CREATE"))["s"]
        discord_server.discord.gateway.drop()
    for word in ("one", "two"):
        await discord_server.ada.write(discord_server.channel, word)
    async with connected(discord_server) as socket:
        await socket.send(6, {"token": discord_server.discord.token, "session_id": session, "seq": seen})
        missed = [await socket.next(), await socket.next()]
        assert [each["t"] for each in missed] == ["MESSAGE_CREATE"] * 2
        assert [each["s"] for each in missed] == [seen + 1, seen + 2]
        assert (await socket.next())["t"] == "RESUMED"


async def test_an_unknown_session_cannot_resume(discord_server: DiscordServer) -> None:
    async with connected(discord_server) as socket:
        await socket.send(6, {"token": discord_server.discord.token, "session_id": "nothing", "seq": 1})
        invalid = await socket.next()
        assert (invalid["op"], invalid["d"]) == (9, False)
        await socket.send(2, identity(discord_server))
        await socket.until("READY")


async def test_a_session_that_said_goodbye_is_over(discord_server: DiscordServer) -> None:
    async with connected(discord_server) as socket:
        await socket.send(2, identity(discord_server))
        session = (await socket.until("READY"))["d"]["session_id"]
        await socket.ws.close(code=1000)
    async with connected(discord_server) as socket:
        await socket.send(6, {"token": discord_server.discord.token, "session_id": session, "seq": 1})
        assert (await socket.next())["op"] == 9


@pytest.mark.parametrize(
    ("op", "change", "code"),
    [
        (2, {"token": "wrong"}, 4004),
        (2, {"intents": 1 << 40}, 4013),
        (8, {"guild_id": "1"}, 4003),
        (6, {"token": "wrong", "session_id": "x", "seq": 0}, 4004),
    ],
)
async def test_a_wrong_start_is_closed_with(
    discord_server: DiscordServer, op: int, change: dict[str, Any], code: int
) -> None:
    async with connected(discord_server) as socket:
        await socket.send(op, identity(discord_server) | change)
        assert await socket.closed() == code


async def test_what_is_not_understood_is_closed_with_its_code(discord_server: DiscordServer) -> None:
    async with connected(discord_server) as socket:
        await socket.ws.send_str("{")
        assert await socket.closed() == 4002
    async with connected(discord_server) as socket:
        await socket.send(2, identity(discord_server))
        await socket.until("READY")
        await socket.send(2, identity(discord_server))
        assert await socket.closed() == 4005


async def test_a_privileged_intent_must_be_granted(discord_server: DiscordServer) -> None:
    discord_server.discord.world.application.flags = 0
    async with connected(discord_server) as socket:
        await socket.send(2, identity(discord_server, GUILD_MESSAGES | 1 << 15))
        assert await socket.closed() == 4014


async def test_events_without_their_intent_or_out_of_sight_do_not_come(discord_server: DiscordServer) -> None:
    hidden = discord_server.discord.world.add_channel(discord_server.guild, "hidden")
    hidden.deny(discord_server.discord.world.bot)
    async with connected(discord_server) as socket:
        await socket.send(2, identity(discord_server))
        guild = (await socket.until("GUILD_CREATE"))["d"]
        assert "hidden" not in [each["name"] for each in guild["channels"]]
        await discord_server.ada.write(hidden, "not for the bot")
        await discord_server.ada.typing(discord_server.channel)
        await discord_server.ada.write(discord_server.channel, "for the bot")
        heard = await socket.next()
        assert (heard["t"], heard["d"]["channel_id"]) == ("MESSAGE_CREATE", str(discord_server.channel.id))


async def test_members_are_fetched_in_a_chunk(discord_server: DiscordServer) -> None:
    async with connected(discord_server) as socket:
        await socket.send(2, identity(discord_server))
        await socket.until("GUILD_CREATE")
        await socket.send(8, {"guild_id": str(discord_server.guild.id), "query": "a", "limit": 0, "nonce": "n"})
        chunk = (await socket.until("GUILD_MEMBERS_CHUNK"))["d"]
        assert [each["user"]["username"] for each in chunk["members"]] == ["ada"]
        assert chunk["nonce"] == "n"


async def test_hikari_resumes_after_op_7_and_misses_nothing(discord_server: DiscordServer, bot: Bot) -> None:
    async with (
        bot.hearing(hikari.ShardResumedEvent) as resumed,
        bot.hearing(hikari.GuildMessageCreateEvent, lambda event: event.content == "meanwhile") as heard,
    ):
        discord_server.discord.gateway.ask_to_reconnect()
        await discord_server.ada.write(discord_server.channel, "meanwhile")
        await resumed()
        await heard()
    assert discord_server.discord.gateway.identifies == 1


async def test_hikari_identifies_again_after_op_9(discord_server: DiscordServer, bot: Bot) -> None:
    async with bot.hearing(hikari.ShardReadyEvent) as ready:
        discord_server.discord.gateway.invalidate()
        await ready()
    assert discord_server.discord.gateway.identifies == 2
    async with bot.hearing(hikari.GuildMessageCreateEvent) as heard:
        await discord_server.ada.write(discord_server.channel, "still there?")
        await heard()


async def test_a_revoked_token_ends_the_bot(discord_server: DiscordServer) -> None:
    async with running(discord_server.discord) as bot:
        discord_server.discord.revoke_token()
        with pytest.raises(hikari.GatewayServerClosedConnectionError, match="4004"):
            async with asyncio.timeout(10):
                await bot.app.join()
        with pytest.raises(hikari.UnauthorizedError):
            await bot.rest.create_message(discord_server.channel.id, "anyone?")
