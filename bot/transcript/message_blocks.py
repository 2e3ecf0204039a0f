"""Claude's own messages as they are written: blocks grow piece by piece, then the finished ones take their places."""

from typing import TypeVar

from bot.events import BlockStopped, TextDelta, ThinkingDelta
from bot.transcript.items import AnswerText, Thinking
from bot.transcript.session_status import SessionStatus
from bot.transcript.turn_items import TurnItems

Growing = TypeVar("Growing", AnswerText, Thinking)


class MessageBlocks:
    """The text and the thinking of a turn."""

    def __init__(self, items: TurnItems, session: SessionStatus) -> None:
        self._items = items
        self._session = session
        self._message = ""
        self._open: dict[int, AnswerText | Thinking] = {}
        """The blocks of this message by their number."""

    def add_text(self, event: TextDelta) -> None:
        if event.parent is None and event.text:
            self._growing(event.index, AnswerText).chunks.append(event.text)

    def add_thinking(self, event: ThinkingDelta) -> None:
        if event.parent is None and event.text:
            self._growing(event.index, Thinking).chunks.append(event.text)

    def stop(self, event: BlockStopped) -> None:
        """A block has all of its pieces."""
        if event.parent is None and (item := self._open.get(event.index)):
            item.done = True

    def begin_message(self, message_id: str) -> bool:
        """Begin another message, and say whether it is one: what the last one left unfinished was given up."""
        self._session.quiet()
        if message_id == self._message:
            return False
        self._message = message_id
        self._items.take_back(item for item in self._open.values() if not item.done)
        self._open.clear()
        return True

    def finish(self, text: str, kind: type[Growing]) -> Growing | None:
        """Put the finished block in the place of its pieces, or at the end if no piece was seen."""
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
        """The turn has ended: no more pieces will come."""
        self._session.quiet()
        for item in self._open.values():
            item.done = True

    def _growing(self, index: int, kind: type[Growing]) -> Growing:
        item = self._open.get(index)
        if isinstance(item, kind) and not item.done:
            return item
        self._session.quiet()
        new = kind([])
        self._open[index] = new
        self._items.add(new)
        return new
