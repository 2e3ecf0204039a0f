"""The sandbox as a whole: its Discord, the real bot in it, and the page in front."""

import asyncio
import logging
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import webbrowser
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path

import sandbox
from bot import config
from bot.app import Start, serving
from bot.errors import ConfigError
from sandbox import discord
from sandbox.page import door

SCRIPTED = (sys.executable, "-P", "-m", "sandbox.claude")
LOGIN_WITHIN = 20.0
SAMPLE = {
    "README.md": "# Sample\n\nA small project to try things on.\n",
    "hello.py": 'def greet(name: str) -> str:\n    return f"Hello, {name}!"\n\n\nprint(greet("world"))\n',
}


@dataclass(frozen=True)
class Agent:
    """Who talks: the real `claude`, or the script that plays it."""

    command: tuple[str, ...]
    environment: Mapping[str, str]
    says: str


def agent(state: Path, *, scripted: bool) -> Agent:
    """Choose the real `claude` when it is there and logged in; otherwise the script, and say why."""
    why = "you asked for it" if scripted else _why_not_real()
    if why is None:
        return Agent(("claude",), {}, "Real claude")
    paths = os.pathsep.join(filter(None, (str(Path(sandbox.__file__).parents[1]), os.environ.get("PYTHONPATH"))))
    environment = {"PYTHONPATH": paths, "CLAUDE_CONFIG_DIR": str(state / "claude")}
    return Agent(SCRIPTED, environment, f"Scripted agent, not Claude ({why})")


def _why_not_real() -> str | None:
    claude = shutil.which("claude")
    if claude is None:
        return "claude is not installed"
    try:
        asked = subprocess.run([claude, "auth", "status"], capture_output=True, timeout=LOGIN_WITHIN, check=False)
    except (OSError, subprocess.TimeoutExpired):
        return "claude does not answer"
    return None if asked.returncode == 0 else "claude is not logged in: run `claude auth login`"


@asynccontextmanager
async def opened(root: Path, project: Path, agent: Agent, port: int = 0) -> AsyncIterator[door.Page]:
    """Have a Discord with an owner and a stranger, the bot and the page inside the block."""
    async with discord.serve() as place:
        world = place.world
        guild = world.add_guild("Sandbox")
        owner = world.application.owner
        stranger = world.add_member(guild, "stranger").user
        channel = world.add_channel(guild, "project")
        about = door.About(agent.says, (owner, stranger), channel)
        raw = {
            "people": {"users": [owner.id]},
            "claude": {"command": list(agent.command)},
            "projects": {"project": {"folder": str(project), "channels": [channel.id]}},
            "state": str(root / "state"),
            "discord_api": place.rest_url,
        }
        settings = config.check(raw, base=root, source="the sandbox's settings")
        try:
            page = door.serve(place, about, port)
            async with page as shown, serving(Start(settings, place.token, agent.environment)):
                yield shown
        except OSError as error:
            if port and error.errno is not None and "address" in str(error):
                raise ConfigError(f"Port {port} is taken. Choose another with --port, or leave it out.") from None
            raise


async def run(folder: Path | None, port: int, open_browser: bool, scripted: bool) -> None:  # noqa: FBT001
    """Serve the sandbox until Ctrl-C or SIGTERM; what stays is the folder that it names."""
    given = None if folder is None else existing(folder)
    logging.basicConfig(level=logging.WARNING, format="%(levelname)s %(message)s")
    stop = asyncio.Event()
    for number in (signal.SIGINT, signal.SIGTERM):
        asyncio.get_running_loop().add_signal_handler(number, stop.set)
    root = Path(tempfile.mkdtemp(prefix="claude-discord-sandbox-"))
    kept = False
    try:
        talking = agent(root, scripted=scripted)
        project = given or sample(root)
        async with opened(root, project, talking, port) as page:
            kept = True
            _say(f"{talking.says} works in {project}", f"Open {page.address}", f"State: {root}; Ctrl-C stops.")
            if open_browser and not await asyncio.to_thread(webbrowser.open, page.address):
                _say("No browser could be opened: open the address yourself.")
            await stop.wait()
    finally:
        if not kept:
            shutil.rmtree(root, ignore_errors=True)


def existing(folder: Path) -> Path:
    """Check the folder that a person named."""
    if not folder.is_dir():
        raise ConfigError(f"There is no folder {folder}. Name an existing one, or none for a sample project.")
    return folder.resolve()


def sample(root: Path) -> Path:
    """Lay out a small project."""
    project = root / "project"
    project.mkdir()
    for name, text in SAMPLE.items():
        (project / name).write_text(text, encoding="utf-8")
    return project


def _say(*lines: str) -> None:
    for line in lines:
        sys.stdout.write(line + "\n")
    sys.stdout.flush()
