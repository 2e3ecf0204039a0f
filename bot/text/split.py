"""Splits text into messages that Discord accepts: at paragraphs if possible, otherwise at lines or words."""

import re
import unicodedata
from dataclasses import dataclass, field

from bot.messages import MESSAGE_LIMIT, File, Message
from bot.text.escape import INLINE_CODE
from bot.text.truncate import utf16_length
from bot.transcript import SubagentGroup, Todos

BODY = MESSAGE_LIMIT - 200
"""Characters of a message without its footer."""
_EARLY_END = BODY // 2  # a message of this length may end early, at a paragraph
_JOINERS = frozenset("\u200d")  # joins the characters on both sides


@dataclass(frozen=True, slots=True, eq=False)
class Fence:
    """A code block. All lines with the same fence belong to it."""

    language: str = ""

    @property
    def opening(self) -> str:
        return f"```{self.language}"


@dataclass(frozen=True, slots=True)
class TextLine:
    text: str
    fence: Fence | None = None
    continues: bool = False
    """Whether it continues the line before it, which was cut."""
    may_start_message: bool = False
    """Whether a new message may start here."""


@dataclass(frozen=True, slots=True)
class FinishedMessage:
    """A message of text and tool lines that will not change."""

    number: int
    message: Message


@dataclass(frozen=True, slots=True)
class ChangingMessage:
    """A message that is edited in place."""

    number: int
    item: SubagentGroup | Todos


@dataclass(frozen=True, slots=True)
class CardMessage:
    """The position of a card's message."""

    ticket_id: str


PlannedMessage = FinishedMessage | ChangingMessage | CardMessage


@dataclass(frozen=True, slots=True)
class SplitPoint:
    """A state of a splitter to return to."""

    planned: int
    number: int
    lines: tuple[TextLine, ...]
    files: tuple[File, ...]


@dataclass(slots=True)
class MessageSplitter:
    """Splits lines into messages; all but the last are finished."""

    planned: list[PlannedMessage] = field(default_factory=list)
    number: int = 0
    """The number of the message that is being filled."""
    lines: list[TextLine] = field(default_factory=list)
    files: list[File] = field(default_factory=list)
    _length: int = 0

    def split_point(self) -> SplitPoint:
        return SplitPoint(len(self.planned), self.number, tuple(self.lines), tuple(self.files))

    def return_to(self, point: SplitPoint) -> None:
        del self.planned[point.planned :]
        self.number = point.number
        self.lines = list(point.lines)
        self.files = list(point.files)
        self._count()

    def fork(self) -> "MessageSplitter":
        """Return a splitter that continues from here without changing this one; its `planned` has only the new ones."""
        return MessageSplitter([], self.number, self.lines.copy(), self.files.copy(), self._length)

    def add(self, line: TextLine) -> None:
        cost = self._cost(line)
        if self._length + cost > BODY:
            self._overflow(line)
        elif line.text or self.lines or line.fence:
            self.lines.append(line)
            self._length += cost

    def add_card(self, ticket_id: str) -> None:
        """Add a card; later lines go below it."""
        self._finish_message()
        self.planned.append(CardMessage(ticket_id))

    def add_changing(self, item: SubagentGroup | Todos) -> None:
        """Add a message that is edited in place."""
        self._finish_message()
        self.planned.append(ChangingMessage(self.number, item))
        self.number += 1

    def attach(self, file: File) -> None:
        self.files.append(file)

    def all_planned(self) -> list[PlannedMessage]:
        """Return all messages, including the current one if it has any text."""
        text = joined_lines(self.lines)
        if not text:
            return self.planned
        return [*self.planned, FinishedMessage(self.number, Message(str(self.number), text, files=tuple(self.files)))]

    # --- when a message is full

    def _finish_message(self) -> None:
        text = joined_lines(self.lines)
        if text:
            message = Message(str(self.number), text, files=tuple(self.files))
            self.planned.append(FinishedMessage(self.number, message))
            self.number += 1
            self.files = []
        self.lines = []
        self._length = 0

    def _overflow(self, line: TextLine) -> None:
        place = self._break_before(line)
        if place is None and self._length >= _EARLY_END and self._cost(line) <= BODY:
            place = len(self.lines)
        if place is not None:
            rest = self.lines[place:]
            self.lines = self.lines[:place]
            self._finish_message()
            for again in [*rest, line]:
                self.add(again)
            return
        room = BODY - self._length - self._cost(TextLine("", line.fence))
        head, tail = split_line(line.text, room, code=line.fence is not None)
        if head:
            self.lines.append(TextLine(head, line.fence, line.continues, line.may_start_message))
        self._finish_message()
        self.add(TextLine(tail, line.fence, continues=True))

    def _break_before(self, line: TextLine) -> int | None:
        """Find the last paragraph that starts after the middle of the message, including the new line."""
        length = self._length
        lines = [*self.lines, line]
        for place in range(len(self.lines), 0, -1):
            if length < _EARLY_END:
                return None
            before, after = lines[place - 1], lines[place]
            if not after.continues and _ends_paragraph(before, after) and not _ends_with_heading(lines[:place]):
                return place
            length -= utf16_length(before.text) + 1
        return None

    def _cost(self, line: TextLine) -> int:
        size = (len(line.text) if line.text.isascii() else utf16_length(line.text)) + 1
        before = self.lines[-1].fence if self.lines else None
        if line.fence is not None and line.fence is not before:
            size += len(line.fence.opening) + len("\n```\n")
        return size

    def _count(self) -> None:
        lines, self.lines, self._length = self.lines, [], 0
        for line in lines:
            self._length += self._cost(line)
            self.lines.append(line)


def _ends_paragraph(before: TextLine, after: TextLine) -> bool:
    return after.may_start_message or before.fence is not after.fence or (not before.text and before.fence is None)


def _ends_with_heading(lines: list[TextLine]) -> bool:
    """Check whether the last of these lines is a heading, which belongs to the text after it."""
    last = next((line for line in reversed(lines) if line.text.strip() or line.fence), None)
    return last is not None and last.fence is None and last.text.startswith("#")


def joined_lines(lines: list[TextLine]) -> str:
    """Join lines to the text of a message, with every code block opened and closed."""
    out: list[str] = []
    fence: Fence | None = None
    for line in lines:
        if line.fence is not fence:
            if fence is not None:
                out.append("```")
            if line.fence is not None:
                out.append(line.fence.opening)
            fence = line.fence
            out.append(line.text)
        elif line.continues and out:
            out[-1] += line.text
        else:
            out.append(line.text)
    if fence is not None:
        out.append("```")
    return "\n".join(out).strip()


def split_line(text: str, room: int, *, code: bool = False) -> tuple[str, str]:
    """Cut a line so that its head fits: at a space, outside inline code, never inside a character."""
    end = _fitting_length(text, room)
    space = text.rfind(" ", end // 2, end)
    end = space + 1 if space > 0 else _between_characters(text, end)
    for span in () if code else INLINE_CODE.finditer(text):
        if span.start() < end < span.end():
            return _split_inline_code(text, span, end, room)
    return text[:end], text[end:]


def _split_inline_code(text: str, span: re.Match[str], end: int, room: int) -> tuple[str, str]:
    """Cut before inline code. If it is too long, close it here and reopen it in the rest."""
    if span.start() > room // 2:
        return text[: span.start()], text[span.start() :]
    ticks = span[1]
    for place in range(min(end, _fitting_length(text, room - len(ticks)), span.end(2) - 1), span.start(2), -1):
        if "`" not in text[place - 1 : place + 1]:  # next to another backtick, ours would become part of a longer run
            return text[:place] + ticks, ticks + text[place:]
    return text[:end], text[end:]


def _fitting_length(text: str, room: int) -> int:
    """Return how many characters of a text fit in `room` UTF-16 units."""
    end = min(len(text), max(room, 0))
    while end > 0 and utf16_length(text[:end]) > room:
        end -= max(1, (utf16_length(text[:end]) - room) // 2)
    return end


def _between_characters(text: str, end: int) -> int:
    for place in range(end, max(end - 16, 0), -1):
        if place >= len(text):
            return place
        joins = unicodedata.category(text[place]).startswith("M") or text[place] in _JOINERS
        if not joins and text[place - 1] not in _JOINERS and text[place - 1] != "\\":
            return place
    return end
