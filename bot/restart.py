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
"""Environment variable that tells the next bot which file descriptor is which run's stdin."""
CHECK_WITHIN = 45.0
"""Seconds; less than the terminal waits for the answer."""
SETTLE_WITHIN = 3.0
"""Seconds for Discord to catch up; a turn that is still running never does, and the next bot shows the rest."""

log = logging.getLogger(__name__)


def command() -> list[str]:
    """Return the command line that started this program, including the interpreter."""
    return [sys.executable, *sys.orig_argv[1:]]


async def check() -> None:
    """Run the next bot with --check; raises NotDone if it can't start, so that this one keeps running."""
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


async def replace_process(conversations: Conversations) -> NoReturn:
    """Become the next bot. As if killed, this one ends, withdraws and closes nothing, but Claude's stdin stays open."""
    with suppress(TimeoutError):
        async with asyncio.timeout(SETTLE_WITHIN):
            await conversations.settle()
    kept = conversations.hand_over()
    log.info("Restarting. %s of Claude's processes keep running.", len(kept))
    logging.shutdown()
    # Nothing may run from here until the next bot: what is written now would be lost between the two.
    environment = {**os.environ, KEPT_ENV: write_descriptors(kept)}
    os.execve(sys.executable, command(), environment)  # noqa: S606 - this program itself, with the same arguments


def write_descriptors(kept: Mapping[str, int]) -> str:
    """Write the kept descriptors as the value of an environment variable."""
    return ",".join(f"{run}={descriptor}" for run, descriptor in kept.items())


def read_descriptors(environment: MutableMapping[str, str] = os.environ) -> dict[str, int]:
    """Read the descriptors that the previous bot kept, and keep programs started from here from inheriting them."""
    kept: dict[str, int] = {}
    for entry in filter(None, environment.pop(KEPT_ENV, "").split(",")):
        run, _, number = entry.partition("=")
        kept[run] = int(number)
        os.set_inheritable(kept[run], False)  # noqa: FBT003 - the system's own signature
    return kept
