"""The round trip's house with a scripted agent in it, in a Discord that fails where the bot sends nonsense."""

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
