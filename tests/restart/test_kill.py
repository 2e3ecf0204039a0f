"""Tests that after a SIGKILL the next bot continues as if nothing had happened."""

import asyncio
import signal
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import psutil
import pytest

from sandbox.messages_api.server import MessagesApi
from sandbox.scripts.script import Say, Use, script
from tests.fixtures.bot_setup import BotSetup, buttons, shown
from tests.fixtures.scripted_setup import write_config

START = 20.0


@asynccontextmanager
async def bot_process(setup: BotSetup) -> AsyncIterator[asyncio.subprocess.Process]:
    """Run a bot in its own process inside the block, and end it normally."""
    path = write_config(setup.root / "claude-discord.toml", setup)
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, "-m", "bot", "--config", str(path)),
        env={**setup.environment, "DISCORD_TOKEN": setup.discord.token, "PYTHONPATH": str(Path.cwd())},
        stderr=asyncio.subprocess.PIPE,
    )
    assert process.stderr is not None
    said = b""
    async with asyncio.timeout(START):
        while b"Ready." not in said:
            line = await process.stderr.readline()
            assert line, said.decode()
            said += line
    draining = asyncio.create_task(process.stderr.read())
    try:
        yield process
    finally:
        if process.returncode is None:
            process.send_signal(signal.SIGTERM)
        async with asyncio.timeout(START):
            await process.wait()
            await draining


@pytest.fixture
def setup(real_setup: BotSetup, api: MessagesApi) -> BotSetup:
    make = Use("Bash", {"command": "touch made.txt"})
    api.on("make a file", script([Say("I will."), make], [Say("It is there.")]))
    return real_setup


async def test_a_click_after_a_restart_still_decides(setup: BotSetup) -> None:
    async with bot_process(setup) as first:
        thread = await setup.say("Please make a file")
        card = await setup.card(thread, "touch made.txt")
        first.kill()
        await first.wait()
    async with bot_process(setup):
        answer = await setup.ada.click(card, "Allow")
        assert not answer.failed
        await setup.ada.sees(thread, "It is there.", within=20)
        await setup.done(thread)
        assert (setup.project / "made.txt").exists()
        assert buttons(card) == []
        text = setup.text(thread)
        assert text.count("I will.") == 1
        assert text.count("It is there.") == 1
        await setup.ada.write(thread, "And now?")
        await setup.ada.sees(thread, "You said: And now?", within=20)


async def test_a_prompt_that_was_queued_when_the_bot_died_runs_after_it(setup: BotSetup) -> None:
    async with bot_process(setup) as first:
        thread = await setup.say("Please make a file")
        card = await setup.card(thread, "touch made.txt")
        await setup.ada.write(thread, "Then the next thing")
        await setup.ada.sees(thread, "Queued", within=10)
        first.kill()
        await first.wait()
    async with bot_process(setup):
        await setup.ada.click(card, "Deny")
        await setup.ada.sees(thread, "You said: Then the next thing", within=20)
        await setup.done(thread, 2)
        assert "Queued" not in setup.text(thread)
        assert not (setup.project / "made.txt").exists()


async def test_an_orderly_stop_withdraws_what_is_open_and_leaves_no_process(setup: BotSetup) -> None:
    async with bot_process(setup) as bot:
        thread = await setup.say("Please make a file")
        card = await setup.card(thread, "touch made.txt")
        bot.send_signal(signal.SIGTERM)
        async with asyncio.timeout(START):
            await bot.wait()
    assert buttons(card) == []
    assert "stopped" in shown(card)
    assert not (setup.project / "made.txt").exists()
    left = [process for process in psutil.process_iter(["cmdline"]) if str(setup.root) in str(process.info["cmdline"])]
    assert left == []
