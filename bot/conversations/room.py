"""What a conversation has around it."""

import time
from collections.abc import Awaitable, Callable
from dataclasses import dataclass

from bot.config import Project
from bot.decisions.desk import Desk
from bot.ports import Channel, Claude, Store


@dataclass(frozen=True, slots=True)
class Room:
    """The ports, and what is set for this thread."""

    project_now: Callable[[], Project]
    """The project as it is in this thread: its settings may change while the bot runs."""
    channel: Channel
    claude: Claude
    store: Store
    desk: Desk
    idle: float
    """Seconds of quiet after which the process is let go; the next prompt resumes the session."""
    clock: Callable[[], float] = time.time
    lobby: Channel | None = None
    """The channel that the thread belongs to: it is told when a turn has ended."""
    prepare: Callable[[], Awaitable[None]] | None = None
    """Makes the folder ready that the thread works in; raises ClaudeError if it can't."""

    @property
    def project(self) -> Project:
        return self.project_now()
