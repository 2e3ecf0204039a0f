"""A Discord with one server, and a bot in it."""

from collections.abc import AsyncIterator

import pytest

from sandbox.discord import TimeLimits, serve
from tests.fixtures.discord_openapi import judge
from tests.fixtures.discord_server import DiscordServer, new_server
from tests.sandbox.discord.hikari_bot import Bot, running


@pytest.fixture
def pace() -> TimeLimits:
    return TimeLimits(speed=50)


@pytest.fixture
async def discord_server(pace: TimeLimits) -> AsyncIterator[DiscordServer]:
    async with serve(pace=pace, judge=judge) as discord:
        yield new_server(discord)


@pytest.fixture
async def bot(discord_server: DiscordServer) -> AsyncIterator[Bot]:
    async with running(discord_server.discord) as bot:
        yield bot
    assert discord_server.discord.violations == []
