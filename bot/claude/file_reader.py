"""A file that Claude would change or read, as it is now: the card shows what that means, and nothing beyond."""

import os
import posixpath

from bot.claude.safe_paths import Reached, reached, written
from bot.permission_requests.file_snapshot import FileSnapshot
from bot.ports import ReadScope
from bot.risk.project_paths import relative
from bot.risk.sensitive_paths import is_secret

LARGEST_TEXT = 2 * 1024 * 1024


def look_at(path: str, scope: ReadScope, known: FileSnapshot | None = None) -> FileSnapshot:
    """Look at a file; gives `known` itself where nothing has happened to it since.

    What Claude could not have read without being allowed to is not looked at at all: not even whether it is there.
    """
    if path.startswith("~"):  # the CLI has put the home folder in its place before it asks
        return FileSnapshot(hidden="outside")
    try:
        with reached(path, scope.folder, scope.others) as found:
            return _seen(path, found, scope, known)
    except (OSError, ValueError):  # a name too long, links in a circle, a NUL, or no right to look
        return FileSnapshot(hidden="unknown")


def _seen(path: str, found: Reached, scope: ReadScope, known: FileSnapshot | None) -> FileSnapshot:
    leads_to = _leads_to(path, found, scope)
    if not found.root:
        return FileSnapshot(leads_to=leads_to, hidden="outside")
    if is_secret(relative(path, str(scope.folder))) or is_secret(found.inside):
        return FileSnapshot(exists=found.exists, leads_to=leads_to, hidden="secret")
    if found.file is None or not scope.content:
        return FileSnapshot(exists=found.exists, leads_to=leads_to)
    stamp = _stamp(os.fstat(found.file))
    if known is not None and (known.stamp, known.leads_to, known.exists) == (stamp, leads_to, True):
        return known
    return FileSnapshot(_text(found.file), exists=True, leads_to=leads_to, stamp=stamp)


def _text(file: int) -> str | None:
    with os.fdopen(file, encoding="utf-8", newline="", closefd=False) as opened:
        if os.fstat(file).st_size > LARGEST_TEXT:
            return None
        try:
            text = opened.read(LARGEST_TEXT + 1)
        except ValueError:  # no text
            return None
    return text if len(text) <= LARGEST_TEXT else None


def _stamp(status: os.stat_result) -> str:
    """Tell a file by what changes with it; its content is compared as well before anything is decided."""
    parts = (status.st_dev, status.st_ino, status.st_size, status.st_mtime_ns, status.st_ctime_ns)
    return ":".join(map(str, parts))


def _leads_to(path: str, found: Reached, scope: ReadScope) -> str:
    """Say where a path in the folders ends when its links are followed; empty when they change nothing."""
    root = next((str(each) for each in (scope.folder, *scope.others) if posixpath.realpath(each) == found.root), "")
    as_written = posixpath.normpath(posixpath.join(root, found.inside)) if root else found.path
    if written(path, scope.folder) in (as_written, found.path):
        return ""
    return as_written.encode(errors="surrogateescape").decode(errors="replace")  # a link may name anything
