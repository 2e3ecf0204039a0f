"""A turn as messages: what has settled is written once, and only the end is written again."""

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace

from bot.masking import mask
from bot.messages import Box, Buttons, File, Message, Select
from bot.render.turns import tool_lines
from bot.render.turns.errors import sentence
from bot.render.turns.footer import footer, model_name, status
from bot.render.turns.retry_buttons import About, offers
from bot.render.turns.subagents_and_todos import block
from bot.text.escape import discord_markdown, one_line
from bot.text.markdown import Reader
from bot.text.split import Fence, Flow, Layout, Line, Live, Mark, Sheet
from bot.text.truncate import truncate
from bot.transcript import (
    Agents,
    Item,
    Looks,
    Notice,
    Problem,
    Slot,
    Text,
    Thinking,
    Todos,
    ToolCall,
    Turn,
)

LONG = 9000
"""Characters of an answer that stand in the thread, about five messages; a longer one goes on in a file."""
_THOUGHT = 250  # characters of a line of thinking: each is a spoiler of its own
_THOUGHTS = 6000
_HEADINGS = re.compile(r"(?:\n+#{1,6} [^\n]*)+\s*\Z")  # with nothing below them any more
_MODES = {
    "default": "asks before it acts",
    "manual": "asks before it acts",
    "acceptEdits": "accept edits",
    "bypassPermissions": "asks nothing",
    "dontAsk": "don't ask",
}


@dataclass(slots=True)
class Reading:
    """How far a text has been read."""

    start: Mark
    reader: Reader = field(default_factory=Reader)
    chunks: int = 0
    length: int = 0
    line: str = ""
    """The last line, which may still grow."""
    shortened: bool = False


class TurnView:
    """Shows one turn. `messages` costs what is new, and the message that is being filled."""

    def __init__(self, turn: Turn, *, thinking: bool = False, about: About | None = None) -> None:
        self.turn = turn
        self.offers = about is not None
        """Whether a turn that went wrong ends with buttons that help."""
        self._about = about
        self._thinking = thinking
        self._cards: Mapping[str, Message] = {}
        self._begin()

    def _begin(self) -> None:
        self._revision = self.turn.revision
        self._layout = Layout()
        self._next = 0
        self._reading: Reading | None = None
        self._written: list[Message | None] = []
        self._moving: list[int] = []

    def messages(self, cards: Mapping[str, Message]) -> list[Message]:
        """Give the turn's messages as they should stand now, with the cards of its tickets."""
        if self._revision != self.turn.revision:
            self._begin()
        self._cards = cards
        self._settle()
        self._write_out()
        ahead = self._layout.fork()
        self._sketch(ahead)
        out, sheets = self._written.copy(), ahead.finished()
        for place in self._moving:
            out[place] = self._message(self._layout.sheets[place])
        out += map(self._message, sheets)
        return self._with_last_line([message for message in out if message], ahead.number)

    def _with_last_line(self, out: list[Message], number: int) -> list[Message]:
        """Say at the end how the turn stands; while a card is last, above it."""
        own = next((i for i in range(len(out) - 1, -1, -1) if out[i].key.isdecimal()), None)
        if self.turn.over:
            line = footer(self.turn)
            own = own if own == len(out) - 1 else None
        else:
            line = status(self.turn, waiting=sum(_asks(message) for message in out if not message.key.isdecimal()))
        if own is not None:
            out[own] = _below(out[own], line)
        elif line:
            out.append(Message(str(number), line))
        if self.offers and self._about is not None and self.turn.over and out and out[-1].key.isdecimal():
            out[-1] = replace(out[-1], components=offers(self.turn, self._about))
        return out

    def _write_out(self) -> None:
        """Keep the messages of what has settled; only cards and what changes in place are looked up each time."""
        for place in range(len(self._written), len(self._layout.sheets)):
            sheet = self._layout.sheets[place]
            if isinstance(sheet, Flow):
                self._written.append(sheet.message)
            else:
                self._written.append(None)
                self._moving.append(place)

    def _message(self, sheet: Sheet) -> Message | None:
        match sheet:
            case Flow(message=message):
                return message
            case Live():
                return Message(str(sheet.number), block(sheet.item, self.turn.session.cwd, self._is_asked))
        return self._cards.get(sheet.ticket_id)

    # --- what will not change any more

    def _settle(self) -> None:
        items = self.turn.items
        while self._next < len(items):
            item = items[self._next]
            if isinstance(item, Text):
                self._read(item)
                if not item.done:
                    return
                self._reading = None
            elif self._moves(item):
                return
            else:
                self._write(item, self._layout, self._next)
            self._next += 1

    def _moves(self, item: Item) -> bool:
        match item:
            case ToolCall():
                return item.state in tool_lines.UNSETTLED
            case Looks():
                return item.running > 0 or (not self.turn.over and self._is_last(item))
            case Thinking():
                return self._thinking and not item.done
        return False

    def _is_last(self, item: Item) -> bool:
        for other in reversed(self.turn.items):
            if not isinstance(other, Thinking):
                return other is item
        return False

    def _read(self, item: Text) -> None:
        """Take in what a text has grown by."""
        if self._reading is None:
            self._paragraph(self._layout, self._next)
            self._reading = Reading(self._layout.mark())
        reading = self._reading
        new = "".join(item.chunks[reading.chunks :])
        reading.chunks = len(item.chunks)
        reading.length += len(new)
        if reading.length > LONG:
            self._shorten(item, reading)
        else:
            *whole, reading.line = (reading.line + new).split("\n")
            for line in whole:
                _add(self._layout, reading.reader.feed(mask(line)))
        if item.done:
            _add(self._layout, _ending(item, reading))
            if reading.shortened:
                self._layout.attach(_answer(item))

    def _shorten(self, item: Text, reading: Reading) -> None:
        if reading.shortened:
            return
        reading.shortened = True
        self._layout.back_to(reading.start)
        del self._written[reading.start.sheets :]
        self._moving = [place for place in self._moving if place < reading.start.sheets]
        _add(self._layout, _lines(beginning(item.text)))

    # --- what may still change

    def _sketch(self, ahead: Layout) -> None:
        for place in range(self._next, len(self.turn.items)):
            item = self.turn.items[place]
            if self._reading is not None and place == self._next and isinstance(item, Text):
                _add(ahead, _ending(item, self._reading))
            else:
                self._write(item, ahead, place)
        for slot in self.turn.loose:
            ahead.place(slot.ticket_id)

    def _write(self, item: Item, layout: Layout, place: int) -> None:
        cwd = self.turn.session.cwd
        match item:
            case Text():
                self._paragraph(layout, place)
                _add(layout, _whole(item))
                if len(item.text) > LONG and item.done:
                    layout.attach(_answer(item))
            case Thinking() if self._thinking:
                _add(layout, _thoughts(item.text))
            case ToolCall():
                _add(layout, tool_lines.lines(item, cwd, asking=self._is_asked(item)))
            case Looks():
                _add(layout, tool_lines.looks(item, cwd, self._is_asked))
            case Notice(text):
                _add(layout, [Line(f"-# {discord_markdown(_notice(text))}", opens=True)])
            case Problem():
                _add(layout, _our_lines(sentence(item, self.turn.session)))
            case Agents() | Todos():
                layout.live(item)
            case Slot():
                layout.place(item.ticket_id)

    def _is_asked(self, call: ToolCall) -> bool:
        card = self._cards.get(self.turn.ticket_of(call.id))
        return card is not None and _asks(card)

    def _paragraph(self, layout: Layout, place: int) -> None:
        """Leave a blank line between two texts that nothing else parts."""
        for before in reversed(self.turn.items[max(0, place - 8) : place]):
            if isinstance(before, Text):
                layout.add(Line(""))
            if not isinstance(before, Thinking):
                return


def beginning(text: str) -> str:
    """Give as much of a long text as stands in the thread, up to a natural end."""
    head = text[:LONG]
    for end in ("\n\n", "\n", " "):
        place = head.rfind(end, LONG // 2)
        if place > 0:
            return _HEADINGS.sub("", head[:place])
    return head


def _whole(item: Text) -> list[Line]:
    text = item.text
    if len(text) <= LONG:
        return _lines(text)
    return [*_lines(beginning(text)), _continued(item)]


def _lines(text: str) -> list[Line]:
    reader = Reader()
    *whole, last = text.split("\n")
    return [*(line for raw in whole for line in reader.feed(mask(raw))), *reader.rest(mask(last))]


def _our_lines(text: str) -> list[Line]:
    """Take apart what we wrote ourselves: it is as Discord wants it, and only its code blocks matter."""
    lines: list[Line] = []
    fence: Fence | None = None
    for raw in text.split("\n"):
        if raw.startswith("```"):
            fence = Fence() if fence is None else None
        else:
            lines.append(Line(raw, fence))
    return lines


def _ending(item: Text, reading: Reading) -> list[Line]:
    if reading.shortened:
        return [_continued(item)]
    return reading.reader.rest(mask(reading.line))


def _continued(item: Text) -> Line:
    if not item.done:
        return Line("-# … still writing; the whole answer will be attached here", opens=True)
    return Line(f"-# … the whole answer is attached: {len(item.text):,} characters", opens=True)


def _answer(item: Text) -> File:
    return File("answer.md", item.text.encode("utf-8", "replace"))


def _thoughts(text: str) -> list[Line]:
    lines = [Line("-# Thinking", opens=True)]
    for raw in truncate(mask(text).strip(), _THOUGHTS).split("\n"):
        rest = raw.replace("|", "¦").replace("`", "'").strip()
        while rest:
            lines.append(Line(f"-# ||{rest[:_THOUGHT]}||"))
            rest = rest[_THOUGHT:]
    return lines


def _notice(text: str) -> str:
    label, _, value = text.partition(": ")
    if label == "Model":
        return f"{label}: {model_name(value)}"
    if label == "Mode":
        return f"{label}: {_MODES.get(value, value)}"
    return truncate(one_line(text), 300)


def _add(layout: Layout, lines: Iterable[Line]) -> None:
    for line in lines:
        layout.add(line)


def _below(message: Message, line: str) -> Message:
    return replace(message, text=f"{message.text}\n{line}" if message.text and line else message.text or line)


def _asks(card: Message) -> bool:
    """Say whether a card still has something to press."""
    parts = [part for outer in card.components for part in (outer.children if isinstance(outer, Box) else (outer,))]
    return any(
        (isinstance(part, Buttons) and any(not button.disabled for button in part.buttons))
        or (isinstance(part, Select) and not part.disabled)
        for part in parts
    )
