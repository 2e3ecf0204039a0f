"""Files that Claude sends to the thread: which may go, and why the others may not."""

import os
import posixpath
import re
from collections.abc import Mapping
from pathlib import Path

from bot.claude.safe_paths import Reached, reached
from bot.messages import File
from bot.risk.sensitive_paths import is_secret

LARGEST = 10 * 1024 * 1024  # what Discord takes of a bot
_HIDDEN = frozenset({".git", ".hg", ".svn"})
_KEY = b"PRIVATE KEY"
_BEGIN = b"-----BEGIN "


def sendable(path: str, folder: Path, environment: Mapping[str, str]) -> File | str:
    """Give the file, or a sentence about why it may not be sent; of what is outside, not even whether it is there.

    The file that is read is the one that was checked, whatever becomes of its path meanwhile.
    """
    if not path or "\0" in path:
        return "There is no such file: the path is empty or broken."
    home = environment.get("HOME", "")
    whole = posixpath.join(home, path[2:]) if path.startswith("~/") and home else path
    try:
        with reached(whole, folder, [_temporary(folder, environment)]) as found:
            return _misplaced(found.path, found.root) or _read(found)
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
    return _unfit(name, data) or File(name, data)


def _misplaced(path: str, root: str) -> str:
    """Say why a file may not be sent because of where it is, its links followed; outside, it has no `root`."""
    if not root:
        return (
            f"{path} is outside of the project. Only files inside the project or in your temporary folder can be sent; "
            "a link that leads out does not count as inside."
        )
    inside = posixpath.relpath(path, root)
    if is_secret(path) or is_secret(inside):
        return f"{inside} looks like a secret (a key, a password file, an environment). Such files are never sent."
    if not _HIDDEN.isdisjoint(inside.split("/")):
        return f"{inside} belongs to the version control's own files, which may hold credentials. They are never sent."
    return ""


def _unfit(name: str, data: bytes) -> str:
    """Say why a file may not be sent because of what is in it; empty if it may."""
    if len(data) > LARGEST:
        return f"{name} is too large: Discord takes {LARGEST // 2**20} MB. Send a part of it, or a compressed copy."
    if not data:
        return f"{name} is empty; Discord takes no empty files."
    start = data.find(_BEGIN)
    while start >= 0:
        if _KEY in data[start : start + 60]:
            return f"{name} holds a private key. Such files are never sent."
        start = data.find(_BEGIN, start + 1)
    return ""
