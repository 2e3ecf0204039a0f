"""Runs a dozen conversations on a bot that is killed again and again, with a Discord that fails often."""

import asyncio
import json
import math
import os
import random
import signal
import sys
import time
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path

import psutil

from sandbox.discord import Discord, TimeLimits, serve
from sandbox.discord.rest.faults import DroppedConnection, ErrorAnswer, SlowAnswer
from sandbox.discord.state.world import Dispatch
from sandbox.messages_api import server as scripted_api
from tests.chaos import chaos_script
from tests.chaos.bot_forker import WITHOUT
from tests.chaos.checker import Evidence, Seen
from tests.chaos.prompt_authors import KINDS, Author, Story, plan
from tests.fixtures.bot_setup import buttons, shown
from tests.fixtures.discord_server import new_server

ROOT = Path(__file__).parents[2]
MARK = "CHAOS_RUN"
"""In the environment of every process that a run starts, so that it can be found."""
LONGEST_LIFE = 2.5


@dataclass(frozen=True)
class Plan:
    """The settings of a run."""

    seed: int
    kills: int = 30
    scripted: int = 9
    real: int = 3
    prompts: int = 4
    kinds: tuple[str, ...] = KINDS
    faults: bool = True
    quiet: float = 60.0
    """Seconds for everything to finish after the last kill."""
    without: str = ""
    """The mechanism that is switched off in the bot."""


@dataclass
class BotForker:
    """The program that forks bots; the newest is `pid`."""

    process: asyncio.subprocess.Process
    order: Mapping[str, str]
    pid: int = 0

    async def start(self) -> None:
        assert self.process.stdin is not None
        assert self.process.stdout is not None
        self.process.stdin.write(json.dumps(self.order).encode() + b"\n")
        async with asyncio.timeout(20):
            self.pid = int(await self.process.stdout.readline())

    @property
    def alive(self) -> bool:
        return self.pid > 0 and psutil.pid_exists(self.pid)

    def kill(self, number: signal.Signals = signal.SIGKILL) -> None:
        if self.pid > 0:  # 0 would be our own process group
            with suppress(ProcessLookupError):
                os.kill(self.pid, number)

    async def gone(self) -> None:
        async with asyncio.timeout(20):
            while self.alive:  # noqa: ASYNC110 - not our child, so there is no event
                await asyncio.sleep(0.01)

    async def stop(self) -> None:
        self.kill(signal.SIGTERM)
        await self.gone()


@asynccontextmanager
async def bot_forker(
    folder: Path, environment: Mapping[str, str], order: Mapping[str, str]
) -> AsyncIterator[BotForker]:
    with (folder / "forker.log").open("ab") as log:
        process = await asyncio.create_subprocess_exec(
            *(sys.executable, "-m", "tests.chaos.bot_forker"),
            cwd=ROOT,
            env=dict(environment),
            stdin=asyncio.subprocess.PIPE,
            stdout=asyncio.subprocess.PIPE,
            stderr=log,
            start_new_session=True,
        )
    forker = BotForker(process, order)
    try:
        yield forker
    finally:
        forker.kill()
        process.kill()
        await process.wait()


@dataclass
class Outcome:
    """The result of a run."""

    evidence: Evidence
    kills: int
    seconds: float
    notes: list[str] = field(default_factory=list)


async def run(plan_: Plan, folder: Path, real_claude: Path) -> Outcome:
    """Carry out a whole run."""
    began = time.monotonic()
    dice = random.Random(plan_.seed)  # noqa: S311 - a game, not a secret
    projects = {name: folder / name for name in ("scripted", "real")}
    for project in projects.values():
        project.mkdir()
    (folder / "home").mkdir()
    ledger = folder / "ledger"
    ledger.touch()
    os.environ[chaos_script.LEDGER] = str(ledger)  # the real CLI's scripts run in this process
    async with serve(pace=TimeLimits(speed=math.inf, patience=1.5)) as discord, scripted_api.serve() as api:
        api.default = chaos_script.PLAY
        discord_server = new_server(discord)
        channels = {name: discord.world.add_channel(discord_server.guild, name) for name in projects}
        environment = {
            **api.environment(folder / "home"),
            "PYTHONPATH": str(ROOT),
            "CLAUDE_SCRIPT": str(ROOT / "tests" / "chaos" / "chaos_script.py"),
            "CLAUDE_CONFIG_DIR": str(folder / "claude"),
            chaos_script.LEDGER: str(ledger),
            MARK: str(folder),
            WITHOUT: plan_.without,
        }
        ids = {name: channel.id for name, channel in channels.items()}
        config = _configuration(folder, discord, discord_server.developers.id, ids, real_claude)
        order = {"config": str(config), "token": discord.token, "log": str(folder / "bot.log")}
        stories = [Story(tasks) for tasks in plan(dice, plan_.scripted + plan_.real, plan_.prompts, plan_.kinds)]
        authors = [
            Author(
                discord,
                discord_server.ada,
                channels["scripted" if number < plan_.scripted else "real"],
                story,
                random.Random(dice.random()),  # noqa: S311
            )
            for number, story in enumerate(stories)
        ]
        notes: list[str] = []
        async with bot_forker(folder, environment, order) as forker:
            await forker.start()
            await _ready(folder / "bot.log")  # nobody reads what was written before the first bot
            living = [asyncio.create_task(author.live()) for author in authors]
            killed = await _reign(forker, discord, plan_, dice)
            _, late = await asyncio.wait(living, timeout=plan_.quiet)
            for task in living:
                task.cancel()
            broken = [task.exception() for task in living if task.done() and not task.cancelled() and task.exception()]
            notes += [f"an author's story broke off: {error!r}" for error in broken]
            notes += [f"{len(late)} stories did not come to their end"] if late else []
            await asyncio.wait(living)
            await forker.stop()
        left = await _left(folder)
        evidence = Evidence(
            stories,
            [_thread(author) for author in authors],
            ledger.read_text(encoding="utf-8").splitlines(),
            left,
        )
        (folder / "threads.txt").write_text(_written(evidence), encoding="utf-8")
        notes += [f"Discord was sent something wrong: {each}" for each in discord.violations]
    return Outcome(evidence, killed, time.monotonic() - began, notes)


def _configuration(folder: Path, discord: Discord, role: int, channels: Mapping[str, int], real: Path) -> Path:
    either = folder / "claude-either"
    scripted = f"exec {sys.executable} -P -m sandbox.scripted_claude"
    either.write_text(f'#!/bin/sh\ncase "$PWD" in */real) exec {real} "$@";; esac\n{scripted} "$@"\n', encoding="utf-8")
    either.chmod(0o755)
    projects = "".join(
        f"[projects.{name}]\nfolder = {json.dumps(str(folder / name))}\nchannels = [{channel}]\n"
        for name, channel in channels.items()
    )
    path = folder / "claude-discord.toml"
    path.write_text(
        f"state = {json.dumps(str(folder / 'state'))}\ndiscord_api = {json.dumps(discord.rest_url)}\n"
        f"[people]\nroles = [{role}]\n[claude]\ncommand = [{json.dumps(str(either))}]\n{projects}",
        encoding="utf-8",
    )
    return path


async def _reign(forker: BotForker, discord: Discord, plan_: Plan, dice: random.Random) -> int:
    """Kill bot after bot, each after a while or exactly when something changes in Discord."""
    kills = 0
    while kills < plan_.kills:
        if kills:
            await forker.start()
        if plan_.faults:
            _bad_day(discord, dice)
        died = asyncio.Event()
        stop = _at_change(forker, discord, dice.randrange(1, 25), died) if dice.random() < 0.6 else (lambda: None)
        with suppress(TimeoutError):
            async with asyncio.timeout(dice.random() ** 2 * LONGEST_LIFE + 0.2):
                await died.wait()
        stop()
        if forker.alive:
            forker.kill()
        kills += 1
        await forker.gone()
        await asyncio.sleep(dice.random() * 0.2)
    discord.faults.clear()
    await forker.start()
    return kills


async def _ready(log: Path) -> None:
    async with asyncio.timeout(20):
        while "Ready." not in _read(log):  # noqa: ASYNC110 - another process writes it
            await asyncio.sleep(0.02)


def _read(path: Path) -> str:
    return path.read_text(encoding="utf-8") if path.exists() else ""


def _at_change(forker: BotForker, discord: Discord, number: int, died: asyncio.Event):
    """Kill the bot inside Discord, which has done what it asked but has not answered."""
    left = number

    def hear(change: Dispatch) -> None:
        nonlocal left
        by_bot = change.event in {"MESSAGE_CREATE", "MESSAGE_UPDATE", "MESSAGE_DELETE", "THREAD_CREATE"}
        left -= by_bot
        if left == 0 and by_bot:
            forker.kill()
            died.set()

    return discord.world.listen(hear)


def _bad_day(discord: Discord, dice: random.Random) -> None:
    faults = (
        ErrorAnswer(500),
        ErrorAnswer(503, after=True),
        ErrorAnswer(429, retry_after=0.2),
        DroppedConnection(),
        DroppedConnection(after=True),
        SlowAnswer(0.4),
    )
    places = ("/channels/{channel_id}/messages*", "/channels/{channel_id}/messages*", "/interactions/*", "*")
    discord.faults.clear()
    for _ in range(dice.randrange(0, 4)):
        discord.faults.plan(dice.choice(faults), dice.choice(places), times=dice.randrange(1, 3))
    gateway = discord.gateway
    trouble = dice.choice([None, None, None, gateway.drop, gateway.ask_to_reconnect, gateway.invalidate])
    if trouble is not None:
        asyncio.get_running_loop().call_later(dice.random(), trouble)


def _thread(author: Author) -> list[Seen]:
    thread = author.story.thread
    if thread is None:
        return []
    bot = author.discord.world.bot
    messages = [message for message in author.person.messages(thread) if message.author is bot]
    return [Seen(shown(message), tuple(buttons(message))) for message in messages if not message.ephemeral]


def _written(evidence: Evidence) -> str:
    """Write all threads to a file, to find out what went wrong."""
    lines = []
    for story, thread in zip(evidence.stories, evidence.threads, strict=True):
        lines.append(f"=== {story.tasks[0].name} in {story.thread and story.thread.id}: {story.decided}")
        lines += [f"{task.name} {task.kind} allows={task.allows} hurried={task.hurried}" for task in story.tasks]
        lines += [f"--- {message.buttons}\n{message.text}" for message in thread]
    return "\n".join(lines)


async def _left(folder: Path) -> list[str]:
    """List the run's processes that are still alive after a short wait."""
    deadline = time.monotonic() + 10
    while (alive := _marked(folder)) and time.monotonic() < deadline:  # noqa: ASYNC110 - not our children
        await asyncio.sleep(0.1)
    names = []
    for process in alive:
        with suppress(psutil.Error):
            names.append(" ".join(process.cmdline()))
            process.kill()
    return names


def _marked(folder: Path) -> list[psutil.Process]:
    marked = []
    for process in psutil.process_iter():
        with suppress(psutil.Error):
            if process.status() != psutil.STATUS_ZOMBIE and process.environ().get(MARK) == str(folder):
                marked.append(process)
    return marked
