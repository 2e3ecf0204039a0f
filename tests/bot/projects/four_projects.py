"""Two servers with four projects, whose threads all work at the same time."""

import json
import math
import re
import shlex
from collections.abc import AsyncIterator, Iterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal

from bot import config
from bot.app import Start, serving
from bot.store import Store
from sandbox.discord import Discord, DiscordChannel, DiscordMessage, DiscordPerson, TimeLimits, serve
from sandbox.messages_api import server as scripted_api
from sandbox.messages_api.server import MessagesApi
from sandbox.scripts.script import ClaudeScript, Say, Use, script
from sandbox.scripts.script_file import save
from tests.fixtures.bot_setup import SCRIPTED, buttons, shown
from tests.fixtures.discord_openapi import judge
from tests.fixtures.scripted_setup import ROOT

Answer = Literal["allow", "deny", "stop"]

TASKS = 5
SCRIPTS = "scripts.json"
NAME = re.compile(r"\bt(\d+)-\d\b")
PADDING = 200
"""Enough lines to make a text too long for a message, so that the card has a file."""


@dataclass
class Story:
    """One thread and its tasks, whose names appear nowhere else."""

    number: int
    project: str
    channel: DiscordChannel
    folder: Path
    thread: DiscordChannel | None = None
    begun: int = 0
    card: DiscordMessage | None = None
    """The card that waits for an answer."""
    allowed: set[str] = field(default_factory=set)

    def task(self, number: int) -> str:
        return f"t{self.number}-{number}"

    @property
    def place(self) -> DiscordChannel:
        assert self.thread is not None
        return self.thread

    def scripts(self) -> Iterator[tuple[str, ClaudeScript]]:
        for number in range(TASKS):
            name = self.task(number)
            run = Use("Bash", {"command": f"touch {name}"})
            lines = f"{name}\n" * PADDING
            write = Use("Write", {"file_path": str(self.folder / name), "content": lines})
            yield name, script([Say(f"begin {name}"), write if number == 1 else run], [Say(f"end {name}")])


@dataclass
class Neighbours:
    """All threads, and the person who answers in them."""

    discord: Discord
    ada: DiscordPerson
    stories: list[Story]
    state: Path
    scripts: Path

    def more(self) -> list[Story]:
        """Add a story for a new thread in each project."""
        homes = {story.project: story for story in self.stories}
        begun = len(self.stories)
        fresh = [Story(begun + n, home.project, home.channel, home.folder) for n, home in enumerate(homes.values())]
        self.stories += fresh
        save(self.scripts, dict(play for story in self.stories for play in story.scripts()))
        return fresh

    async def leave(self, story: Story) -> None:
        """Answer the open card of a thread, and end its process."""
        if story.card is not None:
            await self.answer(story, "deny")
        if story.thread is not None:
            await self.ada.command(story.place, "kill")

    async def begin(self, story: Story) -> None:
        """Give a thread its next task, and wait for its card."""
        name = story.task(story.begun)
        story.begun += 1
        message = await self.ada.write(story.thread or story.channel, f"Please do {name}")
        if story.thread is None:
            await self.ada.sees(story.channel, lambda seen: seen is message and seen.thread is not None, within=40)
            story.thread = message.thread
        story.card = await self.ada.sees(
            story.place, lambda seen: name in shown(seen) and "Allow" in buttons(seen), within=40
        )

    async def answer(self, story: Story, how: Answer) -> None:
        """Answer a thread's card, and wait until its turn is over."""
        card, name = story.card, story.task(story.begun - 1)
        assert card is not None
        story.card = None
        if how == "stop":
            await self.ada.command(story.place, "stop")
            await self.ada.sees(story.place, lambda seen: seen is card and not buttons(seen), within=40)
            await self.ada.sees(story.place, lambda seen: "Stopped" in shown(seen) and seen.id > card.id, within=40)
            return
        await self.ada.click(card, "Allow" if how == "allow" else "Deny")
        story.allowed |= {name} if how == "allow" else set()
        await self.ada.sees(story.place, lambda seen: f"end {name}" in shown(seen) and "-# " in shown(seen), within=40)

    def breaches(self) -> list[str]:
        """List everything that is in the wrong place, and every cost that is not its thread's."""
        return [*self.misplaced(), *self._costs()]

    def misplaced(self) -> list[str]:
        return [*self._strangers(), *self._files()]

    def _strangers(self) -> Iterator[str]:
        places = {story.place: {story.number} for story in self.stories if story.thread}
        for story in self.stories:
            places.setdefault(story.channel, set()).add(story.number)
        for place, own in places.items():
            for message in self.ada.messages(place):
                text = shown(message) + "".join(file.content.decode() for file in message.attachments)
                for name in {found[0] for found in NAME.finditer(text) if int(found[1]) not in own}:
                    yield f"{name} stands in #{place.name}: {shown(message)[:200]!r}"

    def _files(self) -> Iterator[str]:
        wanted: dict[Path, set[str]] = {}
        for story in self.stories:
            wanted.setdefault(story.folder, set()).update(story.allowed)
        for folder, names in wanted.items():
            there = {path.name for path in folder.iterdir() if NAME.fullmatch(path.name)}
            if there != names:
                yield f"{folder.name} has {sorted(there)} and should have {sorted(names)}"

    def _costs(self) -> Iterator[str]:
        with Store.open(self.state / "state.sqlite3") as store:
            runs = store._all("SELECT id, conversation FROM run")
            kept = {
                row["conversation"]: row["cost"]
                for row in store._all("SELECT conversation, total(cost) AS cost FROM turn GROUP BY conversation")
            }
        told: dict[int, float] = {}
        for run in runs:
            told[run["conversation"]] = told.get(run["conversation"], 0.0) + _told(self.state / "runs" / run["id"])
        for conversation, cost in told.items():
            if not math.isclose(kept.get(conversation, 0.0), cost, abs_tol=1e-9):
                yield f"{conversation} has cost {cost}, and {kept.get(conversation)} is kept"


def _told(run: Path) -> float:
    """Return the total cost that a process reported."""
    events = [json.loads(line) for line in (run / "journal.jsonl").read_text().splitlines() if line.startswith("{")]
    return next((event["total_cost_usd"] for event in reversed(events) if event["type"] == "result"), 0.0)


@asynccontextmanager
async def living(root: Path, threads: Sequence[int], real: Path | None = None) -> AsyncIterator[Neighbours]:
    """Run the bot for four projects with this many threads each, the last one with the real `claude`."""
    async with serve(pace=TimeLimits(speed=math.inf), judge=judge) as discord, scripted_api.serve() as api:
        world = discord.world
        guilds = [world.add_guild("One"), world.add_guild("Two")]
        ada = discord.person(world.add_member(guilds[0], "ada"))
        world.add_member(guilds[1], ada.user)
        stories: list[Story] = []
        projects = {}
        for number, count in enumerate(threads):
            name, folder = f"p{number}", root / f"p{number}"
            folder.mkdir()
            channel = world.add_channel(guilds[number // 2], name)
            stories += [Story(len(stories) + n, name, channel, folder) for n in range(count)]
            projects[name] = {"folder": name, "channels": [channel.id], "environment": {"WHICH": "scripted"}}
        if real is not None:
            projects[name]["environment"] = {"WHICH": "real"}
        raw = {
            "people": {"users": [ada.user.id]},
            "claude": {"command": [str(_either(root / "claude", real))]},
            "projects": projects,
            "state": "state",
            "discord_api": discord.rest_url,
        }
        settings = config.check(raw, base=root, source="the neighbours' settings")
        async with serving(Start(settings, discord.token, _environment(root, stories, api))):
            together = Neighbours(discord, ada, stories, settings.state, root / SCRIPTS)
            yield together
        assert not (found := together.breaches()), found
        assert discord.violations == []


def _either(path: Path, real: Path | None) -> Path:
    """Write a program that runs one or the other, as its project's environment says."""
    scripted = shlex.join(SCRIPTED)
    path.write_text(f'#!/bin/sh\n[ "$WHICH" = real ] && exec {real} "$@"\nexec {scripted} "$@"\n')
    path.chmod(0o700)
    return path


def _environment(root: Path, stories: Sequence[Story], api: MessagesApi) -> dict[str, str]:
    scripts = {name: play for story in stories for name, play in story.scripts()}
    save(root / SCRIPTS, scripts)
    for name, play in scripts.items():
        api.on(name, play)
    home = root / "home"
    home.mkdir()
    own = {"CLAUDE_SCRIPT": str(root / SCRIPTS), "CLAUDE_CONFIG_DIR": str(root / "claude-files")}
    return api.environment(home) | own | {"PYTHONPATH": str(ROOT)}
