"""Files that Claude wants to send to the thread: which may go, and why the others may not."""

import posixpath

from bot.risk.sensitive_paths import is_secret

LARGEST = 10 * 1024 * 1024  # what Discord takes of a bot
_HIDDEN = frozenset({".git", ".hg", ".svn"})
_KEY = b"PRIVATE KEY"
_BEGIN = b"-----BEGIN "


def misplaced(path: str, root: str) -> str:
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


def unfit(name: str, data: bytes) -> str:
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
