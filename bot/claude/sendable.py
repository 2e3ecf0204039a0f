"""Reads a file that Claude wants to send: exactly the one that was looked at, whatever its path becomes meanwhile."""

import os
import re
import stat
from collections.abc import Mapping
from pathlib import Path

from bot.conversations.outgoing import LARGEST, misplaced, unfit
from bot.messages import File


def roots(folder: Path, environment: Mapping[str, str]) -> list[Path]:
    """Give the folders that may be sent from: the project, and the CLI's temporary folder for it."""
    temporary = Path(environment.get("CLAUDE_CODE_TMPDIR") or "/tmp")  # noqa: S108 - where the CLI has it
    own = temporary / f"claude-{os.getuid()}" / re.sub(r"[^A-Za-z0-9]", "-", str(folder))
    return [folder.resolve(), own.resolve()]


def sendable(path: str, folder: Path, environment: Mapping[str, str]) -> File | str:
    """Give the file, or a sentence about why it may not be sent."""
    if not path or "\0" in path:
        return "There is no such file: the path is empty or broken."
    try:
        real = (folder / Path(path).expanduser()).resolve(strict=True)
        if reason := misplaced(real, roots(folder, environment)):
            return reason
        return _read(real)
    except (OSError, RuntimeError) as error:
        why = error.strerror if isinstance(error, OSError) and error.strerror else str(error)
        return f"{path} can't be read: {why}."


def _read(real: Path) -> File | str:
    # O_NONBLOCK: opening a pipe must not wait for its writer. O_NOFOLLOW: the last part has just been looked at.
    descriptor = os.open(real, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
    with os.fdopen(descriptor, "rb") as file:
        status = os.fstat(descriptor)
        if not stat.S_ISREG(status.st_mode):
            return f"{real.name} is not a file."
        # A folder on the way may have been replaced by a link after the path was resolved.
        if real.resolve(strict=True) != real or not os.path.samestat(status, real.stat()):
            return f"{real.name} was changed while it was looked at. Try again."
        data = file.read(LARGEST + 1)
    return unfit(real.name, data) or File(real.name, data)
