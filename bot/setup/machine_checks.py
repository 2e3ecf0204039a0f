"""Checks of this machine: Python, `claude`, the state folder, the port, the `.env` file."""

import asyncio
import os
import re
import shutil
import socket
import stat
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

from bot.config import TOKEN_VARIABLE
from bot.local_api.client import BotClient
from bot.setup.findings import Ok, Problem

PYTHONS = ((3, 11), (3, 15))
OLDEST_CLAUDE = (2, 1, 197)
"""The oldest version that the bot is tested with."""
ANSWER_WITHIN = 20.0


def python(version: tuple[int, int] = sys.version_info[:2]) -> Ok | Problem:
    least, below = PYTHONS
    name = ".".join(map(str, version))
    if least <= version < below:
        return Ok(name)
    return Problem(
        f"claude-discord does not run with Python {name}",
        f"install it with Python {least[0]}.{least[1]} to {below[0]}.{below[1] - 1}",
    )


def claude(command: Sequence[str]) -> Ok | Problem:
    found = shutil.which(command[0])
    if found is not None:
        return Ok(found)
    return Problem(
        f"there is no program {command[0]} on PATH",
        'install Claude Code, or set its path: [claude] command = ["/path/to/claude"]',
    )


async def claude_version(command: Sequence[str]) -> Ok | Problem:
    status, said = await _run([*command, "--version"])
    number = re.match(r"(\d+)\.(\d+)\.(\d+)", said)
    if status != 0 or number is None:
        return Problem(f"{command[0]} --version printed no version", "install Claude Code again")
    found = tuple(map(int, number.groups()))
    if found < OLDEST_CLAUDE:
        return Problem(f"{number[0]} is older than {'.'.join(map(str, OLDEST_CLAUDE))}", "update it: claude update")
    return Ok(number[0])


async def claude_login(command: Sequence[str]) -> Ok | Problem:
    status, _ = await _run([*command, "auth", "status"])
    if status == 0:
        return Ok("logged in")
    return Problem("claude is not logged in", "log in: claude auth login")


async def _run(command: Sequence[str]) -> tuple[int | None, str]:
    try:
        process = await asyncio.create_subprocess_exec(
            *command,
            stdin=asyncio.subprocess.DEVNULL,
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.DEVNULL,
            env={name: value for name, value in os.environ.items() if name != TOKEN_VARIABLE},
        )
    except OSError:
        return None, ""
    try:
        async with asyncio.timeout(ANSWER_WITHIN):
            out, _ = await process.communicate()
    except TimeoutError:
        process.kill()
        await process.wait()
        return None, ""
    return process.returncode, out.decode(errors="replace")


def secret_file(path: Path | None) -> Ok | Problem:
    """Check that only the owner can read the file with the token."""
    if path is None:
        return Ok("the token comes from the environment")
    if stat.S_IMODE(path.stat().st_mode) & 0o077:
        return Problem(f"others on this machine can read {path}", f"chmod 600 {path}")
    return Ok(f"{path} is private")


def state_folder(path: Path) -> Ok | Problem:
    """Check that the state folder can be written and that only the owner can read it."""
    elsewhere = "correct its permissions, or choose another folder with `state`"
    if not path.exists():
        parent = next(folder for folder in path.parents if folder.exists())
        if parent.is_dir() and os.access(parent, os.W_OK | os.X_OK):
            return Ok(f"{path} will be created when the bot first starts")
        return Problem(f"{path} can't be created in {parent}", elsewhere)
    if not path.is_dir():
        return Problem(f"{path} is not a folder", elsewhere)
    try:
        with tempfile.TemporaryFile(dir=path):
            pass
    except OSError as error:
        return Problem(f"{path} can't be written: {error.strerror}", elsewhere)
    if stat.S_IMODE(path.stat().st_mode) & 0o077:
        return Problem(f"others on this machine can open {path}", f"chmod 700 {path}")
    return Ok(f"{path} is private")


def port(number: int, bot: BotClient) -> Ok | Problem:
    """Check that the local endpoint's port is free, or in use by the running bot."""
    if number == 0:
        return Ok("any free port")
    if bot.health() is not None:
        return Ok(f"{number} is used by the running bot")
    with socket.socket() as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind(("127.0.0.1", number))
        except OSError as error:
            return Problem(f"{number} can't be used: {error.strerror}", "choose another `port`, or 0 for any free port")
    return Ok(f"{number} is free")
