"""A Discord, a workshop in it, and a bot."""

from collections.abc import AsyncIterator

import pytest

from sandbox.discord import TimeLimits, serve
from tests.fixtures.discord_judge import judge
from tests.fixtures.workshop import Workshop, found
from tests.sandbox_discord.hikari_bot import Bot, running


@pytest.fixture
def pace() -> TimeLimits:
    return TimeLimits(speed=50)


@pytest.fixture
async def workshop(pace: TimeLimits) -> AsyncIterator[Workshop]:
    async with serve(pace=pace, judge=judge) as discord:
        yield found(discord)


@pytest.fixture
async def bot(workshop: Workshop) -> AsyncIterator[Bot]:
    async with running(workshop.discord) as bot:
        yield bot
    assert workshop.discord.violations == []
