"""A house with the real `claude`, driven by scripts."""

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from sandbox import messages_api as scripted_api
from sandbox.messages_api import MessagesApi
from tests.fixtures.house import House
from tests.fixtures.workshop import Workshop


@pytest.fixture
async def api() -> AsyncIterator[MessagesApi]:
    async with scripted_api.serve() as api:
        yield api


@pytest.fixture
def empty_house(workshop: Workshop, api: MessagesApi, tmp_path: Path, real_claude: Path) -> House:
    """A house whose bot has not started yet: for a test that has settings of its own."""
    home = tmp_path / "home"
    home.mkdir()
    return House(workshop, tmp_path, (str(real_claude),), api.environment(home))


@pytest.fixture
async def house(empty_house: House) -> AsyncIterator[House]:
    async with empty_house.bot():
        yield empty_house
