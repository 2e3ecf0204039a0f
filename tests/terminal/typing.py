"""Somebody at the terminal: `claude-discord` as a process of its own."""

import asyncio
import os
import signal
import sys
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path

from tests.rooms.house import ROOT, write_config
from tests.roundtrip.house import House

BOUND = 30.0


@dataclass(frozen=True)
class Typed:
    status: int | None
    out: str
    errors: str


def environment(extra: Mapping[str, str]) -> dict[str, str]:
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("DISCORD_", "CLAUDE_DISCORD_"))}
    return kept | {"PYTHONPATH": str(ROOT)} | dict(extra)


async def started(*words: str, cwd: Path, **extra: str) -> asyncio.subprocess.Process:
    pipe = asyncio.subprocess.PIPE
    return await asyncio.create_subprocess_exec(
        *(sys.executable, "-m", "bot", *words), cwd=cwd, env=environment(extra), stdin=pipe, stdout=pipe, stderr=pipe
    )


async def typed(*words: str, cwd: Path, stdin: str = "", **extra: str) -> Typed:
    """Type a command, and give what came of it."""
    process = await started(*words, cwd=cwd, **extra)
    async with asyncio.timeout(BOUND):
        out, errors = await process.communicate(stdin.encode())
    return Typed(process.returncode, out.decode(), errors.decode())


@dataclass
class Bot:
    """A bot in a process of its own, and what it has said so far."""

    process: asyncio.subprocess.Process
    said: str = ""

    async def says(self, text: str, count: int = 1) -> None:
        """Wait until it has written this to its log, so many times."""
        assert self.process.stderr is not None
        async with asyncio.timeout(BOUND):
            while self.said.count(text) < count:
                line = await self.process.stderr.readline()
                assert line, self.said
                self.said += line.decode()


@asynccontextmanager
async def running(house: House, *words: str) -> AsyncIterator[Bot]:
    """Have a bot that was started from the house's root, ready when the block begins."""
    write_config(house.root / "claude-discord.toml", house)
    process = await started(*words, cwd=house.root, DISCORD_TOKEN=house.discord.token, **house.environment)
    bot = Bot(process)
    try:
        await bot.says("Ready.")
        yield bot
    finally:
        if process.returncode is None:
            process.send_signal(signal.SIGTERM)
        async with asyncio.timeout(BOUND):
            _, rest = await process.communicate()
        bot.said += rest.decode()
