"""The bot starts anew in its own place: the same process id, the newest code, and Claude's turns go on meanwhile."""

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
"""Which descriptor is which run's stdin, for the bot that takes this one's place."""
CHECK_WITHIN = 45.0
"""Seconds; less than whoever asked at the terminal waits for the answer."""
SETTLE_WITHIN = 3.0
"""Seconds for Discord to show what is known; a turn that goes on is never quite settled, and the next bot shows it."""

log = logging.getLogger(__name__)


def command() -> list[str]:
    """How this program was started, interpreter and all."""
    return [sys.executable, *sys.orig_argv[1:]]


async def check() -> None:
    """Have the next bot look at the configuration before this one leaves: it must not leave for nothing."""
    process = await asyncio.create_subprocess_exec(
        *command(), "--check", stdin=asyncio.subprocess.DEVNULL, stdout=asyncio.subprocess.DEVNULL, stderr=-1
    )
    try:
        async with asyncio.timeout(CHECK_WITHIN):
            _, errors = await process.communicate()
    except TimeoutError:
        process.kill()
        await process.wait()
        raise NotDone(f"The next bot did not come up within {CHECK_WITHIN:g} s, so this one stays.") from None
    if process.returncode:
        said = errors.decode(errors="replace").strip()
        raise NotDone(f"The next bot would not start, so this one stays. It says:\n{said}")


async def make_way(conversations: Conversations) -> NoReturn:
    """Leave as a killed bot would, but for Claude's stdin: nothing is ended, withdrawn or closed."""
    with suppress(TimeoutError):
        async with asyncio.timeout(SETTLE_WITHIN):
            await conversations.settle()
    kept = conversations.hand_over()
    log.info("Starting anew; %s process(es) of Claude's go on meanwhile.", len(kept))
    logging.shutdown()
    # From here to the next bot nothing may run: what is written now would be lost between the two.
    os.execve(sys.executable, command(), {**os.environ, KEPT_ENV: written(kept)})  # noqa: S606 - itself, as it was


def written(kept: Mapping[str, int]) -> str:
    """Write down what is kept, for the environment."""
    return ",".join(f"{run}={descriptor}" for run, descriptor in kept.items())


def taken(environment: MutableMapping[str, str] = os.environ) -> dict[str, int]:
    """Read what the bot before this one kept; nothing that is started from here inherits it."""
    kept: dict[str, int] = {}
    for entry in filter(None, environment.pop(KEPT_ENV, "").split(",")):
        run, _, number = entry.partition("=")
        kept[run] = int(number)
        os.set_inheritable(kept[run], False)  # noqa: FBT003 - the system's own signature
    return kept
