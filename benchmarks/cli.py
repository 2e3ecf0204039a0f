"""Runs the real `claude` with a scripted API and without the bot, as the floor for the bot's figures."""

import asyncio
import json
import os
import shutil
import time
import uuid
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from pathlib import Path

from benchmarks.figures import Missing

VERSION = "2.1.326"
BOUND = 60.0
TALK = ("--output-format", "stream-json", "--verbose", "--include-partial-messages")


def find() -> Path:
    """Find the real CLI: the one that the tests use, or the user's own."""
    cache = Path(os.environ.get("CLAUDE_DISCORD_CACHE", "~/.cache/claude-discord")).expanduser()
    found = sorted((cache / "cli" / VERSION).glob("node_modules/@anthropic-ai/claude-code-*/claude"))
    if found:
        return found[0]
    if own := shutil.which("claude"):
        return Path(own)
    raise Missing("`claude` was not found; the tests download one")


class Bare:
    """A running `claude`."""

    def __init__(self, process: asyncio.subprocess.Process) -> None:
        self.process = process

    def say(self, text: str) -> None:
        assert self.process.stdin is not None
        content = [{"type": "text", "text": text}]
        line = {"type": "user", "message": {"role": "user", "content": content}}
        self.process.stdin.write(json.dumps(line).encode() + b"\n")

    async def until(self, *marks: bytes) -> float:
        """Read until a line contains one of these marks; return the time when it arrived."""
        assert self.process.stdout is not None
        async with asyncio.timeout(BOUND):
            while line := await self.process.stdout.readline():
                if any(mark in line for mark in marks):
                    return time.perf_counter()
        raise EOFError("claude exited before it wrote that")

    async def ended(self) -> None:
        async with asyncio.timeout(BOUND):
            await self.process.communicate()


TEXT = b'"text_delta"'
RESULT = b'"type":"result"'


@asynccontextmanager
async def bare(folder: Path, environment: Mapping[str, str], *arguments: str) -> AsyncIterator[Bare]:
    """Run `claude -p` inside the block, without any MCP server."""
    process = await asyncio.create_subprocess_exec(
        str(find()),
        "-p",
        *TALK,
        *arguments,
        cwd=folder,
        env=dict(environment),
        stdin=asyncio.subprocess.PIPE,
        stdout=asyncio.subprocess.PIPE,
        limit=1 << 24,
    )
    try:
        yield Bare(process)
    finally:
        if process.returncode is None:
            process.kill()
        await process.wait()


async def one_shot(folder: Path, environment: Mapping[str, str], text: str, *arguments: str) -> tuple[float, float]:
    """Ask once in a separate process; return the seconds to the first text and to the end."""
    start = time.perf_counter()
    async with bare(folder, environment, *arguments, text) as claude:
        assert claude.process.stdin is not None
        claude.process.stdin.close()
        first = await claude.until(TEXT)
        await claude.ended()
        return first - start, time.perf_counter() - start


async def resumed(folder: Path, environment: Mapping[str, str], count: int) -> float:
    """Hold a conversation as most bots do, with a process for each message; return the seconds in all."""
    session = str(uuid.uuid4())
    took = (await one_shot(folder, environment, "message 0", "--session-id", session))[1]
    for number in range(1, count):
        took += (await one_shot(folder, environment, f"message {number}", "--resume", session))[1]
    return took
