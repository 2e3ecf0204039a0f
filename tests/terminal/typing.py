"""Somebody at the terminal: `claude-discord` as a process of its own."""

import asyncio
import os
import pty
import re
import signal
import sys
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path

from bot.config import FILE_NAME
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
    """Type a command where a configuration lies: it is named, as by somebody who knows that it is theirs."""
    here = cwd / FILE_NAME
    if here.exists() and "--config" not in words and words[:1] != ("completion",):
        words = ("--config", str(here), *words)
    return await unnamed(*words, cwd=cwd, **extra)


async def unnamed(*words: str, cwd: Path, **extra: str) -> asyncio.subprocess.Process:
    """Type a command with nothing added to it."""
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
    async with running_again(house, *words) as bot:
        yield bot


@asynccontextmanager
async def running_again(house: House, *words: str) -> AsyncIterator[Bot]:
    """Have a bot with the configuration that is there, started by nobody at a terminal."""
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


@dataclass
class Terminal:
    """Somebody who sits in front of it."""

    process: asyncio.subprocess.Process
    keyboard: int
    screen: str = ""
    fresh: asyncio.Event = field(default_factory=asyncio.Event)

    def read(self) -> None:
        try:
            self.screen += os.read(self.keyboard, 65536).decode(errors="replace")
        except OSError:  # its other side is closed
            asyncio.get_running_loop().remove_reader(self.keyboard)
        self.fresh.set()

    async def shows(self, pattern: str) -> re.Match[str]:
        async with asyncio.timeout(BOUND):
            while (found := re.search(pattern, self.screen)) is None:
                self.fresh.clear()
                await self.fresh.wait()
        return found

    async def answers(self, pattern: str, keys: str) -> None:
        await self.shows(pattern)
        os.write(self.keyboard, keys.encode())

    async def ends(self) -> int:
        async with asyncio.timeout(BOUND):
            return await self.process.wait()


@asynccontextmanager
async def at_a_terminal(cwd: Path, extra: Mapping[str, str], *words: str) -> AsyncIterator[Terminal]:
    master, slave = pty.openpty()
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, "-m", "bot", *words),
        cwd=cwd,
        env=environment(extra),
        stdin=slave,
        stdout=slave,
        stderr=slave,
        start_new_session=True,
    )
    os.close(slave)
    terminal = Terminal(process, master)
    loop = asyncio.get_running_loop()
    loop.add_reader(master, terminal.read)
    try:
        yield terminal
    finally:
        loop.remove_reader(master)
        os.close(master)
        if process.returncode is None:
            process.kill()
            await process.wait()
