"""A file that Claude would change or read, as it is now: the card shows what that means."""

import os
from pathlib import Path

from bot.requests.changes import is_inside, relative
from bot.requests.tickets import Seen

LARGEST_TEXT = 2 * 1024 * 1024


def look_at(path: str, folder: Path) -> Seen:
    try:
        whole = folder / path
        exists, leads_to = whole.exists(), _leads_to(path, folder)
    except (OSError, RuntimeError, ValueError):  # a name too long, links in a circle, a NUL
        return Seen()
    try:
        shows = whole.is_file() and whole.stat().st_size <= LARGEST_TEXT
        return Seen(whole.read_text(encoding="utf-8") if shows else None, exists, leads_to)
    except (OSError, ValueError):
        return Seen(None, exists, leads_to)


def _leads_to(path: str, folder: Path) -> str:
    """Say where a path in the project ends when its links are followed; empty when they change nothing."""
    if not is_inside(path, str(folder)):
        return ""
    root, real = folder.resolve(), (folder / path).resolve()
    if real == root / relative(os.path.normpath(path), str(folder)):
        return ""
    return str(folder / real.relative_to(root)) if real.is_relative_to(root) else str(real)
