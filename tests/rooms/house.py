"""The house of the round trip with a scripted agent in it, and what can be asked of its processes."""

import asyncio
import json
import os
import sys
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import psutil

from sandbox.discord import Channel, Message, Permission, Person
from sandbox.playbook import save
from sandbox.script import Script
from tests.roundtrip.house import SCRIPTED, House
from tests.sandbox_discord.workshop import Workshop

ROOT = Path(__file__).parents[2]
BOUND = 20.0


class ScriptedHouse(House):
    """Several threads may open at once: each message waits for its own."""

    async def say(self, text: str) -> Channel:
        message = await self.ada.write(self.channel, text)
        await self.ada.sees(self.channel, lambda seen: seen is message and seen.thread is not None, within=BOUND)
        assert message.thread is not None
        return message.thread


def scripted(workshop: Workshop, root: Path, scripts: Mapping[str, Script], **settings: Any) -> House:
    """A house whose agent knows these scripts."""
    book = root / "scripts.json"
    save(book, scripts)
    environment = {
        "CLAUDE_SCRIPT": str(book),
        "CLAUDE_CONFIG_DIR": str(root / "claude"),
        "PYTHONPATH": str(ROOT),
    }
    return ScriptedHouse(workshop, root, SCRIPTED, environment, settings=settings)


def maker(house: House, name: str) -> Person:
    """Bring another person who may talk and decide."""
    world = house.discord.world
    return house.discord.person(world.add_member(house.workshop.guild, name, roles=[house.workshop.makers]))


def moderator(house: House, name: str) -> Person:
    """Bring a person who may delete messages, and nothing else."""
    world = house.discord.world
    role = world.add_role(house.workshop.guild, "moderators", Permission.MANAGE_MESSAGES)
    return house.discord.person(world.add_member(house.workshop.guild, name, roles=[role]))


def posts(house: House) -> int:
    """Count the messages that the bot has sent so far."""
    return sum(r.method == "POST" and r.template.endswith("/messages") for r in house.discord.requests)


def ticket_of(card: Message) -> str:
    """Read the ticket's name from a card's first button."""
    return custom_ids(card)[0].split(":")[1]


def custom_ids(message: Message) -> list[str]:
    """The names of everything on a card that can be pressed, in order."""
    return _custom_ids(message.components)


def _custom_ids(components: list[Any]) -> list[str]:
    found: list[str] = []
    for component in components:
        if "custom_id" in component:
            found.append(component["custom_id"])
        found += _custom_ids(component.get("components", []))
    return found


def processes(house: House, name: str = "") -> list[psutil.Process]:
    """Find what lives of this house's `claude` and what it started, by the environment that they were given."""
    found = []
    for process in psutil.process_iter():
        try:
            ours = process.environ().get("CLAUDE_SCRIPT") == house.environment["CLAUDE_SCRIPT"]
            if ours and process.status() != psutil.STATUS_ZOMBIE and name in " ".join(process.cmdline()):
                found.append(process)
        except psutil.Error:
            continue
    return found


async def gone(found: list[psutil.Process]) -> list[psutil.Process]:
    """Give those that are still alive after a bounded wait."""
    _, alive = await asyncio.to_thread(psutil.wait_procs, found, timeout=BOUND)
    return [process for process in alive if process.status() != psutil.STATUS_ZOMBIE]


def write_config(path: Path, house: House) -> Path:
    """Write the house's settings as a person would."""
    text = json.dumps
    path.write_text(
        f"""\
state = {text(str(house.state))}
discord_api = {text(house.discord.rest_url)}
[people]
roles = [{house.workshop.makers.id}]
[claude]
command = {text(list(house.command))}
[projects.demo]
folder = {text(str(house.project))}
channels = [{house.channel.id}]
""",
        encoding="utf-8",
    )
    return path


@asynccontextmanager
async def command(*arguments: str, cwd: Path, **environment: str) -> AsyncIterator[asyncio.subprocess.Process]:
    """Run `claude-discord` as a process of its own."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith("DISCORD_")}
    process = await asyncio.create_subprocess_exec(
        sys.executable,
        "-m",
        "bot",
        *arguments,
        cwd=cwd,
        env=kept | {"PYTHONPATH": str(ROOT)} | environment,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.PIPE,
    )
    try:
        yield process
    finally:
        if process.returncode is None:
            process.kill()
        await process.communicate()


async def outcome(*arguments: str, cwd: Path, **environment: str) -> tuple[int | None, str]:
    """Run `claude-discord` to its end; gives its status and what it said on stderr."""
    async with command(*arguments, cwd=cwd, **environment) as process, asyncio.timeout(BOUND):
        _, errors = await process.communicate()
    return process.returncode, errors.decode()
