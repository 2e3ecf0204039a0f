"""Tests that when the bot ends, by command or by signal, no `claude` and no `permission_mcp` is left."""

import asyncio
import signal
from collections.abc import Iterator
from pathlib import Path

import pytest

from sandbox.scripts.script import Hang, Say, Use, script
from tests.fixtures.bot_setup import BotSetup, buttons
from tests.fixtures.discord_server import DiscordServer
from tests.fixtures.scripted_setup import BOUND, command, gone, processes, scripted, write_config

SCRIPTS = {
    "ask": script([Use("Bash", {"command": "touch made.txt"})]),
    "hang": script([Say("I am thinking."), Hang()]),
    "hello": script([Say("Hello, I am here.")]),
}


@pytest.fixture
def setup(discord_server: DiscordServer, tmp_path: Path) -> BotSetup:
    return scripted(discord_server, tmp_path, SCRIPTS)


async def busy(setup: BotSetup) -> None:
    """Start a conversation that waits for a person, one that works and one that is idle."""
    idle = await setup.say("hello")
    await setup.ada.sees(idle, "Hello, I am here.")
    working = await setup.say("hang")
    await setup.ada.sees(working, "I am thinking.")
    waiting = await setup.say("ask")
    await setup.card(waiting, "touch made.txt")
    assert len(processes(setup, "sandbox.scripted_claude")) == 3
    assert len(processes(setup, "permission_mcp")) == 3


async def test_leaving_in_order_leaves_nothing_behind(setup: BotSetup) -> None:
    async with setup.bot():
        await busy(setup)
        started = processes(setup)
    assert await gone(started) == []
    assert processes(setup) == []


async def test_the_card_of_a_bot_that_leaves_says_so(setup: BotSetup) -> None:
    async with setup.bot():
        thread = await setup.say("ask")
        card = await setup.card(thread, "touch made.txt")
    assert buttons(card) == []
    assert "the bot was stopped" in setup.text(thread)


@pytest.fixture
def heard_hangup() -> Iterator[None]:
    """Let started processes receive SIGHUP even if the tests run under `nohup`: an ignored signal is inherited."""
    before = signal.signal(signal.SIGHUP, signal.SIG_DFL)
    yield
    signal.signal(signal.SIGHUP, before)


@pytest.mark.usefixtures("heard_hangup")
@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT, signal.SIGHUP])
async def test_a_signal_leaves_nothing_behind(setup: BotSetup, number: signal.Signals) -> None:
    path = write_config(setup.root / "claude-discord.toml", setup)
    environment = dict(setup.environment) | {"DISCORD_TOKEN": setup.discord.token}
    async with command("--config", str(path), cwd=setup.root, **environment) as bot, asyncio.timeout(2 * BOUND):
        assert bot.stderr is not None
        while b"Ready." not in await bot.stderr.readline():
            assert not bot.stderr.at_eof()
        await busy(setup)
        started = [process for process in processes(setup) if process.pid != bot.pid]
        bot.send_signal(number)
        _, errors = await bot.communicate()
    assert bot.returncode == 0
    assert "Traceback" not in errors.decode()
    assert await gone(started) == []
    assert processes(setup) == []


async def test_no_secret_stays_in_the_folder_of_a_run_that_is_over(setup: BotSetup) -> None:
    async with setup.bot():
        thread = await setup.say("hello")
        await setup.done(thread)
        assert list(setup.state.glob("runs/*/mcp.json"))
    assert not list(setup.state.glob("runs/*/mcp.json"))
    private = [path for path in setup.state.rglob("*") if path.is_file() and path.stat().st_mode & 0o077]
    assert [path.name for path in private if not path.name.startswith("state.sqlite3-")] == []
