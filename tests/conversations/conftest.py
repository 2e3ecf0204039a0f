"""A house with a scripted agent, and one with the real `claude`."""

from collections.abc import AsyncIterator, Callable
from pathlib import Path

import pytest

from sandbox import messages_api as scripted_api
from sandbox.messages_api import MessagesApi
from sandbox.script import Complain, Exit, Say, Think, Use, WaitFor, script
from tests.fixtures.house import House
from tests.fixtures.scripted_house import scripted
from tests.fixtures.workshop import Workshop


@pytest.fixture
def go(tmp_path: Path) -> Path:
    """The file that a slow turn waits for."""
    return tmp_path / "go"


@pytest.fixture
def let_go(go: Path) -> Callable[[], None]:
    """Lets a slow turn come to its end."""
    return go.touch


@pytest.fixture
def house(workshop: Workshop, tmp_path: Path, go: Path) -> House:
    """A house whose agent is scripted; its bot has not started yet."""
    scripts = {
        "go slowly": script([Say("A first part"), WaitFor(str(go)), Say("A second part.")]),
        "break off": script([Say("Half a sen"), Complain("Segmentation fault"), Exit(3)]),
        "never begin": script([Exit(4)]),
        "think hard": script([Think("Hmm, that is hard."), Say("I have thought.")]),
        "ask": script([Use("Bash", {"command": "touch made.txt"})], [Say("Made.")]),
    }
    return scripted(workshop, tmp_path, scripts)


@pytest.fixture
async def api() -> AsyncIterator[MessagesApi]:
    async with scripted_api.serve() as api:
        yield api


@pytest.fixture
def real_house(workshop: Workshop, api: MessagesApi, tmp_path: Path, real_claude: Path) -> House:
    """A house with the real `claude`; its bot has not started yet."""
    home = tmp_path / "home"
    home.mkdir()
    return House(workshop, tmp_path, (str(real_claude),), api.environment(home))
