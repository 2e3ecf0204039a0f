"""The parts that `Conversation`, `Agent` and `ToolApproval` of one conversation share."""

import time
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Self

from bot.config import Project
from bot.conversations.change_signal import ChangeSignal
from bot.conversations.prompt_queue import PromptQueue
from bot.conversations.request_files import RequestFiles
from bot.conversations.session import Session
from bot.conversations.shown_turns import ShownTurns
from bot.decisions.desk import Desk
from bot.ports import Channel, ConversationStore, Host
from bot.records import ConversationRecord


@dataclass(frozen=True, slots=True)
class Ports:
    """The parts that all conversations share."""

    host: Host
    store: ConversationStore
    desk: Desk
    files: RequestFiles
    prepare: Callable[[int], Awaitable[None]] | None = None
    """Prepares the folder that a thread works in; raises ClaudeError if that fails."""
    clock: Callable[[], float] = time.time


@dataclass(frozen=True, slots=True)
class ConversationThread:
    """The Discord thread (or channel) of one conversation."""

    channel: Channel
    parent: Channel | None
    """The channel that the thread belongs to; it gets a line when a turn ends."""
    project_now: Callable[[], Project]
    """Returns the project with this thread's settings, which may change while the bot runs."""
    idle: float
    """Seconds that a process may be idle before it ends; the next prompt resumes the session."""

    @property
    def project(self) -> Project:
        return self.project_now()


@dataclass(frozen=True, slots=True)
class ConversationParts:
    """One conversation's session, queue and turns, with the thread and the ports around them."""

    session: Session
    queue: PromptQueue
    turns: ShownTurns
    thread: ConversationThread
    ports: Ports
    changes: ChangeSignal
    """Sent whenever one of the parts or the agent has changed."""

    @classmethod
    def of(cls, record: ConversationRecord, thread: ConversationThread, ports: Ports) -> Self:
        """Create the parts from what is in the store."""
        store, clock = ports.store, ports.clock
        return cls(
            session=Session(record, store),
            queue=PromptQueue(record.id, store, thread.channel, clock),
            turns=ShownTurns(record.id, store, thread.channel, clock, thinking=lambda: bool(thread.project.thinking)),
            thread=thread,
            ports=ports,
            changes=ChangeSignal(),
        )

    @property
    def id(self) -> int:
        return self.session.record.id

    async def until(self, condition: Callable[[], bool]) -> None:
        """Wait until a condition holds; it is also checked when a scheduled prompt becomes due."""
        await self.changes.until(condition, self.queue.seconds_until_due)
