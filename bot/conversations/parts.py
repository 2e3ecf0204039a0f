"""What a conversation consists of: its face, its agent and the approval of its tools share these."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Self

from bot.conversations.change_signal import ChangeSignal
from bot.conversations.ports import ConversationThread, Ports
from bot.conversations.prompt_queue import PromptQueue
from bot.conversations.session import Session
from bot.conversations.shown_turns import ShownTurns
from bot.records import ConversationRecord


@dataclass(frozen=True, slots=True)
class ConversationParts:
    """One conversation's session, queue and turns, with the thread and the ports around them."""

    session: Session
    queue: PromptQueue
    turns: ShownTurns
    thread: ConversationThread
    ports: Ports
    changes: ChangeSignal
    """Sent whenever any of this, or the agent, has changed."""

    @classmethod
    def of(cls, record: ConversationRecord, thread: ConversationThread, ports: Ports) -> Self:
        """Put the parts together from what the store remembers."""
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
        """Wait until a condition holds, which may be that a prompt is due."""
        await self.changes.until(condition, self.queue.until_due)
