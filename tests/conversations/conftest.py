"""A bot with a scripted `claude`, and one with the real one."""

from collections.abc import Callable
from pathlib import Path

import pytest

from sandbox.script import Complain, Exit, Say, Think, Use, WaitFor, script
from tests.fixtures.bot_setup import BotSetup
from tests.fixtures.discord_server import DiscordServer
from tests.fixtures.real_setup import api, real_setup
from tests.fixtures.scripted_setup import scripted

__all__ = ["api", "real_setup"]


@pytest.fixture
def go(tmp_path: Path) -> Path:
    """The file that a slow turn waits for."""
    return tmp_path / "go"


@pytest.fixture
def let_go(go: Path) -> Callable[[], None]:
    """Lets a slow turn come to its end."""
    return go.touch


@pytest.fixture
def setup(discord_server: DiscordServer, tmp_path: Path, go: Path) -> BotSetup:
    """A bot with a scripted `claude`, not started yet."""
    scripts = {
        "go slowly": script([Say("A first part"), WaitFor(str(go)), Say("A second part.")]),
        "break off": script([Say("Half a sen"), Complain("Segmentation fault"), Exit(3)]),
        "never begin": script([Exit(4)]),
        "think hard": script([Think("Hmm, that is hard."), Say("I have thought.")]),
        "ask": script([Use("Bash", {"command": "touch made.txt"})], [Say("Made.")]),
    }
    return scripted(discord_server, tmp_path, scripts)
