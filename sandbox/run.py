"""Runs the sandbox: its Discord, the real bot in it, and the page in the browser."""

import asyncio
import errno
import logging
import shutil
import signal
import sys
import tempfile
from collections.abc import AsyncIterator
from contextlib import AbstractAsyncContextManager, AsyncExitStack, asynccontextmanager, suppress
from pathlib import Path

from bot import config
from bot.app import Start, serving
from bot.errors import ConfigError
from sandbox import browser, discord
from sandbox.claude_command import AgentCommand, choose
from sandbox.page import server

SAMPLE = {
    "README.md": "# Sample\n\nA small project to try things on.\n",
    "hello.py": 'def greet(name: str) -> str:\n    return f"Hello, {name}!"\n\n\nprint(greet("world"))\n',
}
NO_BROWSER = "No browser could be opened. Open the address yourself."
STOPPING = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)  # Ctrl-C, the system, a closed terminal


@asynccontextmanager
async def opened(root: Path, project: Path, agent: AgentCommand, port: int = 0) -> AsyncIterator[server.Page]:
    """Run a Discord with an owner and a stranger, the bot, and the page inside the block."""
    async with AsyncExitStack() as stack:
        place = await stack.enter_async_context(discord.serve())
        world = place.world
        guild = world.add_guild("Sandbox")
        owner = world.application.owner
        stranger = world.add_member(guild, "stranger").user
        channel = world.add_channel(guild, "project")
        raw = {
            "people": {"users": [owner.id]},
            "claude": {"command": list(agent.command)},
            "projects": {"project": {"folder": str(project), "channels": [channel.id]}},
            "state": str(root / "state"),
            "discord_api": place.rest_url,
        }
        settings = config.check(raw, base=root, source="the sandbox's settings")
        info = server.PageInfo(agent.name, agent.why, (owner, stranger), channel)
        page = await _serve_page(stack, server.serve(place, info, port), port)
        await stack.enter_async_context(serving(Start(settings, place.token, agent.environment)))
        yield page


async def _serve_page(stack: AsyncExitStack, page: AbstractAsyncContextManager[server.Page], port: int) -> server.Page:
    try:
        return await stack.enter_async_context(page)
    except OSError as error:
        match error.errno:
            case errno.EADDRINUSE:
                raise ConfigError(
                    f"Port {port} is in use. Choose another one with --port, or leave --port out."
                ) from None
            case errno.EACCES:
                raise ConfigError(
                    f"Port {port} is reserved for the system. Choose one above 1023, or leave --port out."
                ) from None
            case _:
                raise


async def run(folder: Path | None, port: int, open_browser: bool, scripted: bool) -> None:  # noqa: FBT001
    """Run the sandbox until Ctrl-C, SIGTERM or a closed terminal; it leaves only the folder that it prints."""
    given = None if folder is None else existing(folder)
    logging.basicConfig(level=logging.WARNING, format="%(levelname)s %(message)s")
    running = asyncio.create_task(_run_until_cancelled(given, port, open_browser=open_browser, scripted=scripted))
    for number in STOPPING:
        # Only the first counts: a second must not interrupt the shutdown of Claude's processes.
        asyncio.get_running_loop().add_signal_handler(number, lambda: running.cancelling() or running.cancel())
    with suppress(asyncio.CancelledError):
        await running


async def _run_until_cancelled(given: Path | None, port: int, *, open_browser: bool, scripted: bool) -> None:
    agent = await choose(scripted=scripted)
    root = Path(tempfile.mkdtemp(prefix="claude-discord-sandbox-"))
    kept = False
    try:
        project = given or sample(root)
        async with opened(root, project, agent.with_sessions_in(root / "claude"), port) as page:
            kept = True
            comma = "," if agent.why else ""  # after "Scripted agent, not Claude"
            _print(f"{agent.name}{comma} works in {project}. {agent.why}".rstrip())
            _print(f"Open {page.address}", f"The sandbox's files are in {root}. Press Ctrl-C to stop.")
            if open_browser:
                browser.open_page(page.one_time_address(), on_failure=lambda: _print(NO_BROWSER))
            await asyncio.Event().wait()
    finally:
        if not kept:
            shutil.rmtree(root, ignore_errors=True)


def existing(folder: Path) -> Path:
    """Return the folder's real path, or raise if it does not exist."""
    if not folder.is_dir():
        raise ConfigError(f"There is no folder {folder}. Choose another one, or leave it out to use a sample project.")
    return folder.resolve()


def sample(root: Path) -> Path:
    """Create a small sample project."""
    project = root / "project"
    project.mkdir()
    for name, text in SAMPLE.items():
        (project / name).write_text(text, encoding="utf-8")
    return project


def _print(*lines: str) -> None:
    for line in lines:
        sys.stdout.write(line + "\n")
    sys.stdout.flush()
