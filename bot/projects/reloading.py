"""The configuration file, watched: a change counts without a restart, or is refused with the reason."""

import asyncio
import logging
import os
from pathlib import Path

from bot import config
from bot.conversations.conversations import Conversations
from bot.errors import ConfigError

PACE = 2.0
"""Seconds between two looks at the file."""

log = logging.getLogger(__name__)


async def watch(path: Path, conversations: Conversations) -> None:
    """Take over each change of the file for as long as this runs."""
    seen: tuple[int, ...] | None = None
    while True:
        stamp = _stamp(path)
        if stamp != seen:
            seen = stamp
            await take_over(path, conversations)
        await asyncio.sleep(PACE)


async def take_over(path: Path, conversations: Conversations) -> None:
    """Let the file as it is now count, or say why it can't: then the one before stays in force."""
    projects = conversations.projects
    try:
        file = config.load(path)
    except ConfigError as error:
        projects.refused = str(error)
        log.warning("The configuration has changed and is not taken over; the one before stays in force. %s", error)
        return
    with conversations.refreshing():
        taken = projects.take_over(file)
    if taken.changed:
        log.info("The configuration has changed and is in force: %s project(s).", len(projects.settings.projects))
    if taken.late:
        log.warning("These settings wait for a restart: %s.", ", ".join(taken.late))
    await conversations.leave_removed()


def _stamp(path: Path) -> tuple[int, ...]:
    """Tell one state of the file from another; an editor may write it anew under the same name."""
    try:
        found = os.stat(path)  # noqa: PTH116 - the numbers, not a path's questions
    except OSError:
        return ()
    return found.st_mtime_ns, found.st_size, found.st_ino
