"""The bot's secrets: in no command line, in nothing that Claude is given, in no log, and in no message."""

import asyncio
import json
import math
import sys
from collections.abc import AsyncIterator, Iterator
from pathlib import Path

import psutil
import pytest

from sandbox import messages_api as scripted_api
from sandbox.discord import TimeLimits, serve
from sandbox.messages_api import MessagesApi
from sandbox.script import Say, Use, script
from tests.fixtures.discord_judge import judge
from tests.fixtures.house import House, shown
from tests.fixtures.workshop import found
from tests.restart.test_kill import bot_process

LOOK = "env; cat /proc/self/environ /proc/$PPID/environ | tr '\\0' '\\n'; cat /proc/$PPID/cmdline"
"""What a curious Claude would run: its own environment, and that of the process that runs its commands."""


@pytest.fixture
async def api() -> AsyncIterator[MessagesApi]:
    async with scripted_api.serve() as api:
        api.on("look around", script([Use("Bash", {"command": LOOK})], [Say("That is all.")]))
        yield api


@pytest.fixture
async def house(tmp_path: Path, real_claude: Path, api: MessagesApi) -> AsyncIterator[House]:
    (tmp_path / "home").mkdir()
    async with serve(pace=TimeLimits(speed=math.inf), judge=judge) as discord:
        yield House(found(discord), tmp_path, (str(real_claude),), api.environment(tmp_path / "home"))
        assert discord.violations == []


def descendants(process: psutil.Process) -> Iterator[psutil.Process]:
    for child in process.children(recursive=True):
        if child.status() != psutil.STATUS_ZOMBIE:
            yield child


async def test_claude_finds_no_secret_of_the_bots_around_itself(house: House, api: MessagesApi) -> None:
    token = house.discord.token
    async with bot_process(house) as bot:
        thread = await house.say("Please look around")
        card = await house.card(thread, "environ")
        (config,) = house.state.glob("runs/*/mcp.json")
        servers = json.loads(config.read_text(encoding="utf-8"))["mcpServers"]
        (run_token,) = [value for name, value in next(iter(servers.values()))["env"].items() if name.endswith("TOKEN")]
        owners = (house.state / "admin").read_text(encoding="utf-8")

        around = list(descendants(psutil.Process(bot.pid)))
        assert len(around) >= 2, "claude and its permission server"
        for process in around:
            line = " ".join(process.cmdline())
            environment = process.environ()
            assert not any(secret in line for secret in (token, run_token, owners)), line
            assert not any(secret in value for value in environment.values() for secret in (token, owners)), line
            assert not [name for name in environment if name.startswith("DISCORD_")], line

        await house.ada.click(card, "Allow")
        await house.done(thread)
        told = "\n".join(heard.told for heard in api.heard)
        assert "PATH=" in told, "it did look"
        assert token not in told
        assert owners not in told
        assert run_token not in told
        said = "\n".join(shown(message) for message in house.ada.messages(thread))
        assert not any(secret in said for secret in (token, run_token, owners))


async def test_no_secret_stands_in_what_the_bot_writes_down(house: House) -> None:
    async with bot_process(house):
        thread = await house.say("Please look around")
        await house.card(thread, "environ")
        for path in house.state.rglob("*"):
            if path.is_file():
                assert house.discord.token.encode() not in path.read_bytes(), path


async def test_a_token_that_is_refused_is_not_repeated_in_the_error(house: House) -> None:
    token = house.discord.token
    house.discord.revoke_token()
    path = house.root / "claude-discord.toml"
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, "-m", "bot", "--verbose", "--config", str(_config(house, path))),
        env={**house.environment, "DISCORD_TOKEN": token, "PYTHONPATH": str(Path.cwd())},
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.STDOUT,
    )
    async with asyncio.timeout(30):
        said, _ = await process.communicate()
    assert process.returncode == 2
    assert b"does not accept the bot token" in said
    assert token.encode() not in said


def _config(house: House, path: Path) -> Path:
    path.write_text(
        f"state = {json.dumps(str(house.state))}\ndiscord_api = {json.dumps(house.discord.rest_url)}\n"
        f"[people]\nroles = [{house.workshop.makers.id}]\n"
        f"[projects.demo]\nfolder = {json.dumps(str(house.project))}\nchannels = [{house.channel.id}]\n",
        encoding="utf-8",
    )
    return path
