"""What a conversation is given: the ports that all share, and the Discord thread that it takes place in."""

import time
from collections.abc import Awaitable, Callable
from dataclasses import dataclass

from bot.config import Project
from bot.conversations.request_files import RequestFiles
from bot.decisions.desk import Desk
from bot.ports import Channel, ConversationStore, Host


@dataclass(frozen=True, slots=True)
class Ports:
    """The same for all conversations."""

    host: Host
    store: ConversationStore
    desk: Desk
    files: RequestFiles
    prepare: Callable[[int], Awaitable[None]] | None = None
    """Makes the folder ready that a thread works in; raises ClaudeError if it can't."""
    clock: Callable[[], float] = time.time


@dataclass(frozen=True, slots=True)
class ConversationThread:
    """The Discord thread (or channel) of one conversation."""

    channel: Channel
    parent: Channel | None
    """The channel that the thread belongs to: it is told when a turn has ended."""
    project_now: Callable[[], Project]
    """The project as it is in this thread: its settings may change while the bot runs."""
    idle: float
    """Seconds of quiet after which the process is let go; the next prompt resumes the session."""

    @property
    def project(self) -> Project:
        return self.project_now()
