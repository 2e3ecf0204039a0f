"""The gateway: sessions that break off, resume and end, for hikari and for a bare socket."""

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

from tests.fixtures.workshop import Workshop
from tests.sandbox_discord.hikari_bot import Bot, running

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
async def connected(workshop: Workshop, query: str = "?v=10&encoding=json") -> AsyncIterator[Socket]:
    async with (
        aiohttp.ClientSession() as session,
        session.ws_connect(workshop.discord.gateway.url + query) as ws,
    ):
        socket = Socket(ws, zlib.decompressobj() if "zlib-stream" in query else None)
        hello = await socket.next()
        assert hello["op"] == 10
        assert hello["d"]["heartbeat_interval"] > 0
        yield socket


def identity(workshop: Workshop, intents: int = GUILD_MESSAGES) -> dict[str, Any]:
    return {"token": workshop.discord.token, "intents": intents, "properties": {}}


@pytest.mark.parametrize("query", ["?v=10&encoding=json", "?v=10&encoding=json&compress=zlib-stream"])
async def test_a_session_starts_with_ready_and_the_guilds(workshop: Workshop, query: str) -> None:
    async with connected(workshop, query) as socket:
        await socket.send(1, None)
        assert (await socket.next())["op"] == 11
        await socket.send(2, identity(workshop))
        ready = await socket.next()
        assert (ready["t"], ready["s"]) == ("READY", 1)
        assert ready["d"]["resume_gateway_url"] == workshop.discord.gateway.url
        guild = (await socket.next())["d"]
        assert [each["name"] for each in guild["channels"]] == ["general"]


async def test_a_broken_session_resumes_with_all_that_it_missed(workshop: Workshop) -> None:
    async with connected(workshop) as socket:
        await socket.send(2, identity(workshop))
        session = (await socket.until("READY"))["d"]["session_id"]
        seen = (await socket.until("GUILD_CREATE"))["s"]
        workshop.discord.gateway.drop()
    for word in ("one", "two"):
        await workshop.ada.write(workshop.channel, word)
    async with connected(workshop) as socket:
        await socket.send(6, {"token": workshop.discord.token, "session_id": session, "seq": seen})
        missed = [await socket.next(), await socket.next()]
        assert [each["t"] for each in missed] == ["MESSAGE_CREATE"] * 2
        assert [each["s"] for each in missed] == [seen + 1, seen + 2]
        assert (await socket.next())["t"] == "RESUMED"


async def test_an_unknown_session_cannot_resume(workshop: Workshop) -> None:
    async with connected(workshop) as socket:
        await socket.send(6, {"token": workshop.discord.token, "session_id": "nothing", "seq": 1})
        invalid = await socket.next()
        assert (invalid["op"], invalid["d"]) == (9, False)
        await socket.send(2, identity(workshop))
        await socket.until("READY")


async def test_a_session_that_said_goodbye_is_over(workshop: Workshop) -> None:
    async with connected(workshop) as socket:
        await socket.send(2, identity(workshop))
        session = (await socket.until("READY"))["d"]["session_id"]
        await socket.ws.close(code=1000)
    async with connected(workshop) as socket:
        await socket.send(6, {"token": workshop.discord.token, "session_id": session, "seq": 1})
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
async def test_a_wrong_start_is_closed_with(workshop: Workshop, op: int, change: dict[str, Any], code: int) -> None:
    async with connected(workshop) as socket:
        await socket.send(op, identity(workshop) | change)
        assert await socket.closed() == code


async def test_what_is_not_understood_is_closed_with_its_code(workshop: Workshop) -> None:
    async with connected(workshop) as socket:
        await socket.ws.send_str("{")
        assert await socket.closed() == 4002
    async with connected(workshop) as socket:
        await socket.send(2, identity(workshop))
        await socket.until("READY")
        await socket.send(2, identity(workshop))
        assert await socket.closed() == 4005


async def test_a_privileged_intent_must_be_granted(workshop: Workshop) -> None:
    workshop.discord.world.application.flags = 0
    async with connected(workshop) as socket:
        await socket.send(2, identity(workshop, GUILD_MESSAGES | 1 << 15))
        assert await socket.closed() == 4014


async def test_events_without_their_intent_or_out_of_sight_do_not_come(workshop: Workshop) -> None:
    hidden = workshop.discord.world.add_channel(workshop.guild, "hidden")
    hidden.deny(workshop.discord.world.bot)
    async with connected(workshop) as socket:
        await socket.send(2, identity(workshop))
        guild = (await socket.until("GUILD_CREATE"))["d"]
        assert "hidden" not in [each["name"] for each in guild["channels"]]
        await workshop.ada.write(hidden, "not for the bot")
        await workshop.ada.typing(workshop.channel)
        await workshop.ada.write(workshop.channel, "for the bot")
        heard = await socket.next()
        assert (heard["t"], heard["d"]["channel_id"]) == ("MESSAGE_CREATE", str(workshop.channel.id))


async def test_members_are_fetched_in_a_chunk(workshop: Workshop) -> None:
    async with connected(workshop) as socket:
        await socket.send(2, identity(workshop))
        await socket.until("GUILD_CREATE")
        await socket.send(8, {"guild_id": str(workshop.guild.id), "query": "a", "limit": 0, "nonce": "n"})
        chunk = (await socket.until("GUILD_MEMBERS_CHUNK"))["d"]
        assert [each["user"]["username"] for each in chunk["members"]] == ["ada"]
        assert chunk["nonce"] == "n"


async def test_hikari_resumes_after_op_7_and_misses_nothing(workshop: Workshop, bot: Bot) -> None:
    async with (
        bot.hearing(hikari.ShardResumedEvent) as resumed,
        bot.hearing(hikari.GuildMessageCreateEvent, lambda event: event.content == "meanwhile") as heard,
    ):
        workshop.discord.gateway.ask_to_reconnect()
        await workshop.ada.write(workshop.channel, "meanwhile")
        await resumed()
        await heard()
    assert workshop.discord.gateway.identifies == 1


async def test_hikari_identifies_again_after_op_9(workshop: Workshop, bot: Bot) -> None:
    async with bot.hearing(hikari.ShardReadyEvent) as ready:
        workshop.discord.gateway.invalidate()
        await ready()
    assert workshop.discord.gateway.identifies == 2
    async with bot.hearing(hikari.GuildMessageCreateEvent) as heard:
        await workshop.ada.write(workshop.channel, "still there?")
        await heard()


async def test_a_revoked_token_ends_the_bot(workshop: Workshop) -> None:
    async with running(workshop.discord) as bot:
        workshop.discord.revoke_token()
        with pytest.raises(hikari.GatewayServerClosedConnectionError, match="4004"):
            async with asyncio.timeout(10):
                await bot.app.join()
        with pytest.raises(hikari.UnauthorizedError):
            await bot.rest.create_message(workshop.channel.id, "anyone?")
