"""Finds out from its stderr why a `claude` process ended; no other module matches sentences of the CLI."""

import os
from pathlib import Path

from bot.events import ExitCause, ProcessExit

STDERR_TAIL = 1500


def process_exit(status: int | None, stderr: str) -> ProcessExit:
    """Describe how a process ended, given its status and the end of its stderr."""
    return ProcessExit(status, stderr, _cause(stderr))


def stderr_tail(path: Path) -> str:
    """Return the end of a process's stderr."""
    if not path.exists():  # the bot was killed before it started the process
        return ""
    with path.open("rb") as file:
        file.seek(max(0, file.seek(0, os.SEEK_END) - STDERR_TAIL))
        return file.read().decode(errors="replace").strip()


def _cause(stderr: str) -> ExitCause:
    lowered = stderr.lower()
    if "No conversation found" in stderr:
        return ExitCause.SESSION_LOST
    if "/login" in lowered or "not logged in" in lowered or "invalid api key" in lowered:
        return ExitCause.LOGGED_OUT
    if "enoent" in lowered or "not found" in lowered:
        return ExitCause.NOT_FOUND
    return ExitCause.UNKNOWN
