"""Tests twenty threads that stream together: Discord refuses no request, and no thread falls behind."""

import asyncio
import time
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack
from pathlib import Path

import hikari
import pytest

from bot.discord.outgoing.rate_limits import RateLimits
from bot.discord.outgoing.thread_channel import ThreadChannel
from bot.messages import Message
from bot.store import Store
from sandbox.discord import Discord, serve
from tests.fixtures.discord_openapi import judge
from tests.fixtures.discord_server import new_server

THREADS = 20
SECONDS = 6.0
WORD = 0.1
"""Seconds between two words in a thread."""
OLD = 3.0


@pytest.fixture
async def discord() -> AsyncIterator[Discord]:
    async with serve(judge=judge) as discord:  # at Discord's own pace
        yield discord


class Stream:
    """A growing text, with the time of each word."""

    def __init__(self) -> None:
        self.written: list[float] = []
        self.shown = 0
        self.oldest = 0.0

    def messages(self) -> list[Message]:
        return [Message("0", " ".join(str(number) for number in range(len(self.written))))]

    def saw(self, text: str, now: float) -> None:
        """Record the age of the first word that was not shown until now."""
        if self.shown < len(self.written):
            self.oldest = max(self.oldest, now - self.written[self.shown])
        self.shown = len(text.split())


async def test_twenty_threads_stay_within_the_limits_and_up_to_date(discord: Discord, tmp_path: Path) -> None:
    discord_server = new_server(discord)
    world = discord.world
    places = [world.add_channel(discord_server.guild, f"stream-{number}") for number in range(THREADS)]
    streams = {place.id: Stream() for place in places}

    def hear(event: str, place: int, content: str) -> None:
        if event in {"MESSAGE_CREATE", "MESSAGE_UPDATE"} and place in streams:
            streams[place].saw(content, time.monotonic())

    stop = world.listen(lambda c: hear(c.event, int(c.data.get("channel_id", 0)), c.data.get("content", "")))
    app = hikari.RESTApp(url=discord.rest_url)
    await app.start()
    try:
        async with app.acquire(discord.token, hikari.TokenType.BOT) as rest, AsyncExitStack() as stack:
            store = stack.enter_context(Store.open(tmp_path / "state.sqlite3"))
            limits = RateLimits()
            opened = {
                place.id: await stack.enter_async_context(ThreadChannel.open(rest, place.id, store, limits))
                for place in places
            }
            ends = time.monotonic() + SECONDS
            while time.monotonic() < ends:
                for place, stream in streams.items():
                    stream.written.append(time.monotonic())
                    opened[place].show(f"turn-{place}", stream.messages)
                    opened[place].working(on=True)
                await asyncio.sleep(WORD)
            async with asyncio.timeout(10):
                for channel in opened.values():
                    await channel.settled()
    finally:
        stop()
        await app.close()
    assert [recorded.template for recorded in discord.requests if recorded.status == 429] == []
    assert discord.violations == []
    assert all(stream.shown == len(stream.written) for stream in streams.values()), "all of it can be read in the end"
    assert max(stream.oldest for stream in streams.values()) < OLD
