"""When the bot leaves, in order or by a signal, no `claude` and no `permission_mcp` stays behind."""

import asyncio
import signal
from collections.abc import Iterator
from pathlib import Path

import pytest

from sandbox.script import Hang, Say, Use, script
from tests.fixtures.house import House, buttons
from tests.fixtures.scripted_house import BOUND, command, gone, processes, scripted, write_config
from tests.fixtures.workshop import Workshop

SCRIPTS = {
    "ask": script([Use("Bash", {"command": "touch made.txt"})]),
    "hang": script([Say("I am thinking."), Hang()]),
    "hello": script([Say("Hello, I am here.")]),
}


@pytest.fixture
def house(workshop: Workshop, tmp_path: Path) -> House:
    return scripted(workshop, tmp_path, SCRIPTS)


async def busy(house: House) -> None:
    """Have one that waits for a person, one that works and one that idles."""
    idle = await house.say("hello")
    await house.ada.sees(idle, "Hello, I am here.")
    working = await house.say("hang")
    await house.ada.sees(working, "I am thinking.")
    waiting = await house.say("ask")
    await house.card(waiting, "touch made.txt")
    assert len(processes(house, "sandbox.scripted_claude")) == 3
    assert len(processes(house, "permission_mcp")) == 3


async def test_leaving_in_order_leaves_nothing_behind(house: House) -> None:
    async with house.bot():
        await busy(house)
        started = processes(house)
    assert await gone(started) == []
    assert processes(house) == []


async def test_the_card_of_a_bot_that_leaves_says_so(house: House) -> None:
    async with house.bot():
        thread = await house.say("ask")
        card = await house.card(thread, "touch made.txt")
    assert buttons(card) == []
    assert "the bot was stopped" in house.text(thread)


@pytest.fixture
def heard_hangup() -> Iterator[None]:
    """Have what is started hear SIGHUP, also where the tests run under `nohup`: an ignored signal is inherited."""
    before = signal.signal(signal.SIGHUP, signal.SIG_DFL)
    yield
    signal.signal(signal.SIGHUP, before)


@pytest.mark.usefixtures("heard_hangup")
@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT, signal.SIGHUP])
async def test_a_signal_leaves_nothing_behind(house: House, number: signal.Signals) -> None:
    path = write_config(house.root / "claude-discord.toml", house)
    environment = dict(house.environment) | {"DISCORD_TOKEN": house.discord.token}
    async with command("--config", str(path), cwd=house.root, **environment) as bot, asyncio.timeout(2 * BOUND):
        assert bot.stderr is not None
        while b"Ready." not in await bot.stderr.readline():
            assert not bot.stderr.at_eof()
        await busy(house)
        started = [process for process in processes(house) if process.pid != bot.pid]
        bot.send_signal(number)
        _, errors = await bot.communicate()
    assert bot.returncode == 0
    assert "Traceback" not in errors.decode()
    assert await gone(started) == []
    assert processes(house) == []


async def test_no_secret_stays_in_the_folder_of_a_run_that_is_over(house: House) -> None:
    async with house.bot():
        thread = await house.say("hello")
        await house.done(thread)
        assert list(house.state.glob("runs/*/mcp.json"))
    assert not list(house.state.glob("runs/*/mcp.json"))
    private = [path for path in house.state.rglob("*") if path.is_file() and path.stat().st_mode & 0o077]
    assert [path.name for path in private if not path.name.startswith("state.sqlite3-")] == []
