"""Builds the texts of Claude's messages: blocks grow chunk by chunk, then the finished blocks replace them."""

from typing import TypeVar

from bot.events import BlockStopped, TextDelta, ThinkingDelta
from bot.transcript.items import AnswerText, Thinking
from bot.transcript.session_status import SessionStatus
from bot.transcript.turn_items import TurnItems

Growing = TypeVar("Growing", AnswerText, Thinking)


class MessageBlocks:
    """The text and thinking of a turn."""

    def __init__(self, items: TurnItems, session: SessionStatus) -> None:
        self._items = items
        self._session = session
        self._message = ""
        self._open: dict[int, AnswerText | Thinking] = {}
        """The blocks of the current message, by index."""

    def add_text(self, event: TextDelta) -> None:
        if event.parent is None and event.text:
            self._growing_item(event.index, AnswerText).chunks.append(event.text)

    def add_thinking(self, event: ThinkingDelta) -> None:
        if event.parent is None and event.text:
            self._growing_item(event.index, Thinking).chunks.append(event.text)

    def stop(self, event: BlockStopped) -> None:
        """Mark a block as complete."""
        if event.parent is None and (item := self._open.get(event.index)):
            item.done = True

    def begin_message(self, message_id: str) -> bool:
        """Begin a message, and remove unfinished blocks of the previous one. Return False if it is the same message."""
        self._session.clear_interruptions()
        if message_id == self._message:
            return False
        self._message = message_id
        self._items.remove(item for item in self._open.values() if not item.done)
        self._open.clear()
        return True

    def finish(self, text: str, kind: type[Growing]) -> Growing | None:
        """Replace the chunks of a block by the finished block, or add it at the end if no chunk was seen."""
        for index in sorted(self._open):
            item = self._open[index]
            if isinstance(item, kind):
                del self._open[index]
                item.done = True
                if item.text != text:
                    item.chunks[:] = [text]
                    self._items.revision += 1
                return item
        if not text:
            return None
        new = kind([text], done=True)
        self._items.add(new)
        return new

    def close(self) -> None:
        """Mark all blocks as complete, because the turn has ended."""
        self._session.clear_interruptions()
        for item in self._open.values():
            item.done = True

    def _growing_item(self, index: int, kind: type[Growing]) -> Growing:
        item = self._open.get(index)
        if isinstance(item, kind) and not item.done:
            return item
        self._session.clear_interruptions()
        new = kind([])
        self._open[index] = new
        self._items.add(new)
        return new
