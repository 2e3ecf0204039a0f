"""Reads a file that Claude wants to send: exactly the one that was looked at, whatever its path becomes meanwhile."""

import os
import posixpath
import re
from collections.abc import Mapping
from pathlib import Path

from bot.claude.safe_paths import Reached, reached
from bot.conversations.outgoing import LARGEST, misplaced, unfit
from bot.messages import File


def sendable(path: str, folder: Path, environment: Mapping[str, str]) -> File | str:
    """Give the file, or a sentence about why it may not be sent; of what is outside, not even whether it is there."""
    if not path or "\0" in path:
        return "There is no such file: the path is empty or broken."
    home = environment.get("HOME", "")
    whole = posixpath.join(home, path[2:]) if path.startswith("~/") and home else path
    try:
        with reached(whole, folder, [_temporary(folder, environment)]) as found:
            return misplaced(found.path, found.root) or _read(found)
    except (OSError, ValueError) as error:
        why = error.strerror if isinstance(error, OSError) and error.strerror else str(error)
        return f"{path} can't be read: {why}."


def _temporary(folder: Path, environment: Mapping[str, str]) -> Path:
    """Name the CLI's temporary folder for a project."""
    temporary = Path(environment.get("CLAUDE_CODE_TMPDIR") or "/tmp")  # noqa: S108 - where the CLI has it
    return temporary / f"claude-{os.getuid()}" / re.sub(r"[^A-Za-z0-9]", "-", str(folder))


def _read(found: Reached) -> File | str:
    name = posixpath.basename(found.path)
    if not found.exists:
        return f"{name} can't be read: there is no such file."
    if found.file is None:
        return f"{name} is not a file."
    with os.fdopen(found.file, "rb", closefd=False) as file:
        data = file.read(LARGEST + 1)
    return unfit(name, data) or File(name, data)
