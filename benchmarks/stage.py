"""Runs the bot as a separate process between the sandbox's Discord and a `claude`."""

import asyncio
import json
import math
import os
import signal
import sys
import tempfile
import time
from collections.abc import AsyncIterator, Callable, Iterator, Mapping, Sequence
from contextlib import asynccontextmanager, contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

import psutil

from sandbox.discord import (
    Discord,
    DiscordChannel,
    DiscordMessage,
    DiscordPerson,
    DiscordRole,
    Dispatch,
    Guild,
    TimeLimits,
    serve,
)

ROOT = Path(__file__).parents[1]
STUB = (sys.executable, "-P", "-m", "benchmarks.stub_claude")
BOUND = 60.0
BUTTON = 2  # Discord's component type


@dataclass(frozen=True)
class Stage:
    """A Discord with one project's channel, and a person who may talk and decide there."""

    discord: Discord
    guild: Guild
    makers: DiscordRole
    channel: DiscordChannel
    ada: DiscordPerson
    folder: Path

    async def opened(self, text: str) -> DiscordChannel:
        """Write in the channel; return the thread that opens."""
        message = await self.ada.write(self.channel, text)
        await self.ada.sees(self.channel, lambda seen: seen is message and seen.thread is not None, within=BOUND)
        assert message.thread is not None
        return message.thread


@dataclass(frozen=True)
class Bot:
    """A running bot."""

    process: psutil.Process
    ready: float
    """Seconds from its start until it was ready."""
    state: Path


@contextmanager
def temporary_folder() -> Iterator[Path]:
    with tempfile.TemporaryDirectory(prefix="claude-discord-bench-") as name:
        yield Path(name)


@asynccontextmanager
async def stage(*, limits: bool = False) -> AsyncIterator[Stage]:
    """Run a Discord inside the block, with or without its rate limits."""
    with temporary_folder() as folder:
        async with serve(pace=TimeLimits(speed=1.0 if limits else math.inf)) as discord:
            world = discord.world
            guild = world.add_guild("Workshop")
            makers = world.add_role(guild, "makers")
            ada = world.add_member(guild, "ada", roles=[makers])
            channel = world.add_channel(guild, "general")
            yield Stage(discord, guild, makers, channel, discord.person(ada), folder)


@asynccontextmanager
async def bot(
    place: Stage,
    command: Sequence[str] = STUB,
    environment: Mapping[str, str] | None = None,
    *,
    idle_minutes: float = 30.0,
) -> AsyncIterator[Bot]:
    """Run the bot inside the block, starting when it is ready."""
    project, state = place.folder / "project", place.folder / "state"
    project.mkdir(exist_ok=True)
    config = place.folder / "claude-discord.toml"
    text = json.dumps
    config.write_text(
        f"state = {text(str(state))}\ndiscord_api = {text(place.discord.rest_url)}\n"
        f"[people]\nroles = [{place.makers.id}]\n[claude]\n"
        f"command = {text(list(command))}\nidle_minutes = {idle_minutes}\n"
        f"[projects.demo]\nfolder = {text(str(project))}\nchannels = [{place.channel.id}]\n",
        encoding="utf-8",
    )
    variables = {**os.environ, "PYTHONPATH": str(ROOT), "DISCORD_TOKEN": place.discord.token, **(environment or {})}
    async with said_ready((sys.executable, "-m", "bot", "run", "--config", str(config)), variables) as (process, took):
        yield Bot(process, took, state)


@asynccontextmanager
async def said_ready(
    command: Sequence[str], environment: Mapping[str, str]
) -> AsyncIterator[tuple[psutil.Process, float]]:
    """Run a program inside the block, starting when it writes "Ready" to stderr."""
    start = time.perf_counter()
    process = await asyncio.create_subprocess_exec(
        *command, env=dict(environment), stdout=asyncio.subprocess.DEVNULL, stderr=asyncio.subprocess.PIPE
    )
    said: list[str] = []
    assert process.stderr is not None
    try:
        async with asyncio.timeout(BOUND):
            while not said or "Ready" not in said[-1]:
                line = await process.stderr.readline()
                if not line:
                    raise RuntimeError("It exited before it was ready:\n" + "".join(said))
                said.append(line.decode(errors="replace"))
        took = time.perf_counter() - start
        draining = asyncio.create_task(process.stderr.read())
        yield psutil.Process(process.pid), took
        draining.cancel()
    finally:
        with suppress(ProcessLookupError):
            process.send_signal(signal.SIGTERM)
        with suppress(TimeoutError):
            async with asyncio.timeout(20):
                await process.wait()
        if process.returncode is None:
            process.kill()
            await process.wait()


@dataclass(frozen=True)
class Seen:
    """A new or edited message of the bot, with the time when Discord received it."""

    at: float
    message: DiscordMessage
    text: str
    buttons: bool
    new: bool


class Watch:
    """The bot's changes to messages, in order; checking for one takes the same time however many there are."""

    def __init__(self, place: Stage) -> None:
        self._place = place
        self._queue: asyncio.Queue[Seen] = asyncio.Queue()

    def hear(self, change: Dispatch) -> None:
        at = time.time()
        if change.event not in {"MESSAGE_CREATE", "MESSAGE_UPDATE"} or not isinstance(change.place, DiscordChannel):
            return
        message = change.place.messages.get(int(change.data["id"]))
        if message is not None and message.author.id == self._place.discord.world.bot.id:
            text, buttons = _read(message)
            self._queue.put_nowait(Seen(at, message, text, buttons, change.event == "MESSAGE_CREATE"))

    async def until(self, wanted: Callable[[Seen], bool], within: float = BOUND) -> Seen:
        """Wait for a matching change among those that no earlier call has passed."""
        async with asyncio.timeout(within):
            while not wanted(seen := await self._queue.get()):
                pass
        return seen


@contextmanager
def watching(place: Stage) -> Iterator[Watch]:
    watch = Watch(place)
    stop = place.discord.world.listen(watch.hear)
    try:
        yield watch
    finally:
        stop()


def _read(message: DiscordMessage) -> tuple[str, bool]:
    """Return the text of a message, including its card, and whether it has buttons."""
    found, buttons = [message.content], False
    waiting = list(message.components)
    while waiting:
        component = waiting.pop(0)
        found.append(component.get("content") or "")
        buttons |= component["type"] == BUTTON and not component.get("disabled")
        waiting += component.get("components", [])
    return "\n".join(filter(None, found)), buttons
