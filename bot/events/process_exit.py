"""How a `claude` process ended."""

from dataclasses import dataclass
from enum import Enum


class ExitCause(Enum):
    """Why the process ended, if its output shows it."""

    UNKNOWN = "unknown"
    SESSION_LOST = "session lost"
    """The session to resume no longer exists."""
    LOGGED_OUT = "logged out"
    NOT_FOUND = "not found"
    """A program or folder does not exist."""


@dataclass(frozen=True, slots=True)
class ProcessExit:
    """The exit status of a process, and the end of its stderr."""

    status: int | None = None
    """None if it is unknown, because the process was not a child of this bot."""
    stderr: str = ""
    cause: ExitCause = ExitCause.UNKNOWN
