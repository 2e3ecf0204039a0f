from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from tests.permission_mcp.fake_bot import FakeBot


@pytest.fixture
async def away(tmp_path: Path) -> AsyncIterator[FakeBot]:
    """A bot that has not been started yet."""
    bot = FakeBot(tmp_path)
    yield bot
    await bot.stop()


@pytest.fixture
async def bot(away: FakeBot) -> FakeBot:
    await away.start()
    return away
