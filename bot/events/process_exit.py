"""How a `claude` process ended."""

from dataclasses import dataclass
from enum import Enum


class ExitCause(Enum):
    """Why it ended, as far as it said."""

    UNKNOWN = "unknown"
    SESSION_LOST = "session lost"
    """The session to resume does not exist any more."""
    LOGGED_OUT = "logged out"
    NOT_FOUND = "not found"
    """A program or a folder is gone."""


@dataclass(frozen=True, slots=True)
class ProcessExit:
    """The status of a process that has ended, and the end of what it wrote to stderr."""

    status: int | None = None
    """None where nobody can tell: it was not a child of this bot."""
    stderr: str = ""
    cause: ExitCause = ExitCause.UNKNOWN
