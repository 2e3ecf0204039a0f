"""The bot is killed with SIGKILL, and the next one goes on as if nothing had happened."""

import asyncio
import json
import math
import signal
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import psutil
import pytest

from sandbox import messages_api as scripted_api
from sandbox.discord import TimeLimits, serve
from sandbox.script import Say, Use, script
from tests.fixtures.bot_setup import BotSetup, buttons, shown
from tests.fixtures.discord_judge import judge
from tests.fixtures.discord_server import new_server

START = 20.0


def configuration(setup: BotSetup) -> Path:
    path = setup.root / "claude-discord.toml"
    path.write_text(
        f"""
state = {json.dumps(str(setup.state))}
discord_api = {json.dumps(setup.discord.rest_url)}
[people]
roles = [{setup.discord_server.developers.id}]
[claude]
command = {json.dumps(list(setup.command))}
[projects.demo]
folder = {json.dumps(str(setup.project))}
channels = [{setup.channel.id}]
""",
        encoding="utf-8",
    )
    return path


@asynccontextmanager
async def bot_process(setup: BotSetup) -> AsyncIterator[asyncio.subprocess.Process]:
    """Have a bot in a process of its own, ready when the block begins and ended in order with it."""
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, "-m", "bot", "--config", str(configuration(setup))),
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
async def setup(tmp_path: Path, real_claude: Path) -> AsyncIterator[BotSetup]:
    home = tmp_path / "home"
    home.mkdir()
    async with serve(pace=TimeLimits(speed=math.inf), judge=judge) as discord, scripted_api.serve() as api:
        api.on(
            "make a file",
            script([Say("I will."), Use("Bash", {"command": "touch made.txt"})], [Say("It is there.")]),
        )
        yield BotSetup(new_server(discord), tmp_path, (str(real_claude),), api.environment(home))
        assert discord.violations == []


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
