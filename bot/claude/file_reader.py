"""Reads the file of a request for its card, but only if Claude could read it without asking."""

import os
import posixpath

from bot.claude.safe_paths import FollowedPath, absolute, follow
from bot.permission_requests.file_snapshot import FileSnapshot
from bot.ports import ReadScope
from bot.risk.project_paths import relative
from bot.risk.sensitive_paths import is_secret

MAX_TEXT = 2 * 1024 * 1024


def look_at(path: str, scope: ReadScope, known: FileSnapshot | None = None) -> FileSnapshot:
    """Return a snapshot of a file, or `known` itself if the file has not changed since.

    A file that Claude could not read without asking is not touched, not even to see if it exists.
    """
    if path.startswith("~"):  # the CLI expands ~ before it asks
        return FileSnapshot(hidden="outside")
    try:
        with follow(path, scope.folder, scope.others) as found:
            return _snapshot(path, found, scope, known)
    except (OSError, ValueError):  # a name that is too long, a loop of links, a NUL, or no permission
        return FileSnapshot(hidden="unknown")


def _snapshot(path: str, found: FollowedPath, scope: ReadScope, known: FileSnapshot | None) -> FileSnapshot:
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
        if os.fstat(file).st_size > MAX_TEXT:
            return None
        try:
            text = opened.read(MAX_TEXT + 1)
        except ValueError:  # not text
            return None
    return text if len(text) <= MAX_TEXT else None


def _stamp(status: os.stat_result) -> str:
    """Return a stamp that changes with the file; the content is compared too before a decision."""
    parts = (status.st_dev, status.st_ino, status.st_size, status.st_mtime_ns, status.st_ctime_ns)
    return ":".join(map(str, parts))


def _leads_to(path: str, found: FollowedPath, scope: ReadScope) -> str:
    """Return the target of a path inside the folders if it goes through links; otherwise empty."""
    root = next((str(each) for each in (scope.folder, *scope.others) if posixpath.realpath(each) == found.root), "")
    as_written = posixpath.normpath(posixpath.join(root, found.inside)) if root else found.path
    if absolute(path, scope.folder) in (as_written, found.path):
        return ""
    return as_written.encode(errors="surrogateescape").decode(errors="replace")  # a link's target can be any bytes
