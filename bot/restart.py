"""Restarts the bot in place, with the same process id and the newest code, while Claude keeps working."""

import asyncio
import logging
import os
import sys
from collections.abc import Mapping, MutableMapping
from contextlib import suppress
from typing import NoReturn

from bot.conversations.conversations import Conversations
from bot.errors import NotDone

KEPT_ENV = "CLAUDE_DISCORD_KEPT"
"""Tells the next bot which file descriptor is which run's stdin."""
CHECK_WITHIN = 45.0
"""Seconds; shorter than the terminal waits for the answer."""
SETTLE_WITHIN = 3.0
"""Seconds for Discord to catch up; a turn that is still running never does, and the next bot shows the rest."""

log = logging.getLogger(__name__)


def command() -> list[str]:
    """Give the command line that started this program, the interpreter included."""
    return [sys.executable, *sys.orig_argv[1:]]


async def check() -> None:
    """Let the next bot check the configuration first, so that this one doesn't leave for nothing."""
    process = await asyncio.create_subprocess_exec(
        *command(), "--check", stdin=asyncio.subprocess.DEVNULL, stdout=asyncio.subprocess.DEVNULL, stderr=-1
    )
    try:
        async with asyncio.timeout(CHECK_WITHIN):
            _, errors = await process.communicate()
    except TimeoutError:
        process.kill()
        await process.wait()
        raise NotDone(f"The next bot did not start within {CHECK_WITHIN:g} s, so this one keeps running.") from None
    if process.returncode:
        said = errors.decode(errors="replace").strip()
        raise NotDone(f"The next bot can't start, so this one keeps running. It says:\n{said}")


async def make_way(conversations: Conversations) -> NoReturn:
    """Leave as a killed bot would, but keep Claude's stdin open: nothing is ended, withdrawn or closed."""
    with suppress(TimeoutError):
        async with asyncio.timeout(SETTLE_WITHIN):
            await conversations.settle()
    kept = conversations.hand_over()
    log.info("Restarting. %s of Claude's processes keep running.", len(kept))
    logging.shutdown()
    # From here to the next bot nothing may run: what is written now would be lost between the two.
    os.execve(sys.executable, command(), {**os.environ, KEPT_ENV: written(kept)})  # noqa: S606 - itself, as it was


def written(kept: Mapping[str, int]) -> str:
    """Write the kept descriptors for the environment."""
    return ",".join(f"{run}={descriptor}" for run, descriptor in kept.items())


def taken(environment: MutableMapping[str, str] = os.environ) -> dict[str, int]:
    """Read the descriptors that the previous bot kept; no program started from here inherits them."""
    kept: dict[str, int] = {}
    for entry in filter(None, environment.pop(KEPT_ENV, "").split(",")):
        run, _, number = entry.partition("=")
        kept[run] = int(number)
        os.set_inheritable(kept[run], False)  # noqa: FBT003 - the system's own signature
    return kept
