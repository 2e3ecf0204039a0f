from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from tests.permission_mcp.both_sides import StandIn


@pytest.fixture
async def away(tmp_path: Path) -> AsyncIterator[StandIn]:
    """A bot that has not been started yet."""
    bot = StandIn(tmp_path)
    yield bot
    await bot.stop()


@pytest.fixture
async def bot(away: StandIn) -> StandIn:
    await away.start()
    return away
