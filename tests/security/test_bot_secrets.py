"""Tests that the bot's secrets are in no command line, not in Claude's environment, in no log and in no message."""

import asyncio
import json
import math
import sys
from collections.abc import AsyncIterator, Iterator
from pathlib import Path

import psutil
import pytest

from sandbox.discord import TimeLimits, serve
from sandbox.messages_api import server as scripted_api
from sandbox.messages_api.server import MessagesApi
from sandbox.scripts.script import Say, Use, script
from tests.fixtures.bot_setup import BotSetup, shown
from tests.fixtures.discord_openapi import judge
from tests.fixtures.discord_server import new_server
from tests.restart.test_kill import bot_process

LOOK = "env; cat /proc/self/environ /proc/$PPID/environ | tr '\\0' '\\n'; cat /proc/$PPID/cmdline"
"""What a curious Claude would run: it prints its environment, and that of the process that runs its commands."""


@pytest.fixture
async def api() -> AsyncIterator[MessagesApi]:
    async with scripted_api.serve() as api:
        api.on("look around", script([Use("Bash", {"command": LOOK})], [Say("That is all.")]))
        yield api


@pytest.fixture
async def setup(tmp_path: Path, real_claude: Path, api: MessagesApi) -> AsyncIterator[BotSetup]:
    (tmp_path / "home").mkdir()
    async with serve(pace=TimeLimits(speed=math.inf), judge=judge) as discord:
        yield BotSetup(new_server(discord), tmp_path, (str(real_claude),), api.environment(tmp_path / "home"))
        assert discord.violations == []


def descendants(process: psutil.Process) -> Iterator[psutil.Process]:
    for child in process.children(recursive=True):
        if child.status() != psutil.STATUS_ZOMBIE:
            yield child


async def test_claude_finds_no_secret_of_the_bots_around_itself(setup: BotSetup, api: MessagesApi) -> None:
    token = setup.discord.token
    async with bot_process(setup) as bot:
        thread = await setup.say("Please look around")
        card = await setup.card(thread, "environ")
        (config,) = setup.state.glob("runs/*/mcp.json")
        servers = json.loads(config.read_text(encoding="utf-8"))["mcpServers"]
        (run_token,) = [value for name, value in next(iter(servers.values()))["env"].items() if name.endswith("TOKEN")]
        owners = (setup.state / "admin").read_text(encoding="utf-8")

        around = list(descendants(psutil.Process(bot.pid)))
        assert len(around) >= 2, "claude and its permission server"
        for process in around:
            line = " ".join(process.cmdline())
            environment = process.environ()
            assert not any(secret in line for secret in (token, run_token, owners)), line
            assert not any(secret in value for value in environment.values() for secret in (token, owners)), line
            assert not [name for name in environment if name.startswith("DISCORD_")], line

        await setup.ada.click(card, "Allow")
        await setup.done(thread)
        told = "\n".join(call.tool_results for call in api.calls)
        assert "PATH=" in told, "it did look"
        assert token not in told
        assert owners not in told
        assert run_token not in told
        said = "\n".join(shown(message) for message in setup.ada.messages(thread))
        assert not any(secret in said for secret in (token, run_token, owners))


async def test_no_secret_stands_in_what_the_bot_writes_down(setup: BotSetup) -> None:
    async with bot_process(setup):
        thread = await setup.say("Please look around")
        await setup.card(thread, "environ")
        for path in setup.state.rglob("*"):
            if path.is_file():
                assert setup.discord.token.encode() not in path.read_bytes(), path


async def test_a_token_that_is_refused_is_not_repeated_in_the_error(setup: BotSetup) -> None:
    token = setup.discord.token
    setup.discord.revoke_token()
    path = setup.root / "claude-discord.toml"
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, "-m", "bot", "--verbose", "--config", str(_config(setup, path))),
        env={**setup.environment, "DISCORD_TOKEN": token, "PYTHONPATH": str(Path.cwd())},
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.STDOUT,
    )
    async with asyncio.timeout(30):
        said, _ = await process.communicate()
    assert process.returncode == 2
    assert b"does not accept the bot token" in said
    assert token.encode() not in said


def _config(setup: BotSetup, path: Path) -> Path:
    path.write_text(
        f"state = {json.dumps(str(setup.state))}\ndiscord_api = {json.dumps(setup.discord.rest_url)}\n"
        f"[people]\nroles = [{setup.discord_server.developers.id}]\n"
        f"[projects.demo]\nfolder = {json.dumps(str(setup.project))}\nchannels = [{setup.channel.id}]\n",
        encoding="utf-8",
    )
    return path
