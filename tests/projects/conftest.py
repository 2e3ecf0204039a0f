"""A Discord that fails the test in which the bot sent something wrong."""

import math
from collections.abc import AsyncIterator

import pytest

from sandbox.discord import Pace, serve
from tests.judge import judge
from tests.sandbox_discord.workshop import Workshop, found


@pytest.fixture
async def workshop() -> AsyncIterator[Workshop]:
    async with serve(pace=Pace(speed=math.inf), judge=judge) as discord:
        yield found(discord)
        assert discord.violations == []
