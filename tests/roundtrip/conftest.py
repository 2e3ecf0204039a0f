"""A running bot with the real `claude`."""

from collections.abc import AsyncIterator

import pytest

from tests.fixtures.bot_setup import BotSetup


@pytest.fixture
async def setup(real_setup: BotSetup) -> AsyncIterator[BotSetup]:
    async with real_setup.bot():
        yield real_setup
