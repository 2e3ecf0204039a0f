"""Checks and reads the files that Claude sends to the thread."""

import os
import posixpath
import re
from collections.abc import Mapping
from pathlib import Path

from bot.claude.safe_paths import FollowedPath, follow
from bot.messages import File
from bot.risk.sensitive_paths import is_secret

MAX_SIZE = 10 * 1024 * 1024  # Discord's limit for a bot
_HIDDEN = frozenset({".git", ".hg", ".svn"})
_KEY = b"PRIVATE KEY"
_BEGIN = b"-----BEGIN "


def sendable(path: str, folder: Path, environment: Mapping[str, str]) -> File | str:
    """Return the file, or a sentence that says why it can't be sent, without telling if a file outside exists.

    The file that is read is the one that was checked, even if its path changes in between.
    """
    if not path or "\0" in path:
        return "There is no such file: the path is empty or contains a NUL character."
    home = environment.get("HOME", "")
    whole = posixpath.join(home, path[2:]) if path.startswith("~/") and home else path
    try:
        with follow(whole, folder, [_temporary(folder, environment)]) as found:
            return _place_refusal(found.path, found.root) or _read(found)
    except (OSError, ValueError) as error:
        why = error.strerror if isinstance(error, OSError) and error.strerror else str(error)
        return f"{path} can't be read: {why}."


def _temporary(folder: Path, environment: Mapping[str, str]) -> Path:
    """Return the CLI's temporary folder for a project."""
    temporary = Path(environment.get("CLAUDE_CODE_TMPDIR") or "/tmp")  # noqa: S108 - where the CLI creates it
    return temporary / f"claude-{os.getuid()}" / re.sub(r"[^A-Za-z0-9]", "-", str(folder))


def _read(found: FollowedPath) -> File | str:
    name = posixpath.basename(found.path)
    if not found.exists:
        return f"{name} can't be read: there is no such file."
    if found.file is None:
        return f"{name} is not a file."
    with os.fdopen(found.file, "rb", closefd=False) as file:
        data = file.read(MAX_SIZE + 1)
    return _content_refusal(name, data) or File(name, data)


def _place_refusal(path: str, root: str) -> str:
    """Say why a file in this place can't be sent; empty if it can. `path` has no links; `root` is empty if outside."""
    if not root:
        return (
            f"{path} is outside the project. Only files in the project or in your temporary folder can be sent; "
            "a link to a file elsewhere doesn't count."
        )
    inside = posixpath.relpath(path, root)
    if is_secret(path) or is_secret(inside):
        return f"{inside} looks like a secret (a key, a password file, an environment). Secrets are never sent."
    if not _HIDDEN.isdisjoint(inside.split("/")):
        return (
            f"{inside} belongs to the version control system, whose files may contain credentials and are never sent."
        )
    return ""


def _content_refusal(name: str, data: bytes) -> str:
    """Say why a file with this content can't be sent; empty if it can."""
    if len(data) > MAX_SIZE:
        return (
            f"{name} is too large: Discord's limit is {MAX_SIZE // 2**20} MB. Send a part of it, or a compressed copy."
        )
    if not data:
        return f"{name} is empty. Discord does not accept empty files."
    start = data.find(_BEGIN)
    while start >= 0:
        if _KEY in data[start : start + 60]:
            return f"{name} contains a private key. Secrets are never sent."
        start = data.find(_BEGIN, start + 1)
    return ""
