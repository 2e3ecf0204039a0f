"""Draws a turn as messages. Finished parts are drawn once; only the end is redrawn."""

from collections.abc import Iterable, Mapping
from dataclasses import replace

from bot.masking import mask
from bot.messages import Box, Buttons, Message, Select
from bot.render.turns.errors import error_message
from bot.render.turns.footer import footer, running_footer
from bot.render.turns.retry_buttons import RetryTarget, retry_buttons
from bot.render.turns.subagents_and_todos import changing_text
from bot.render.turns.text_lines import (
    LONG,
    TextProgress,
    answer_file,
    answer_lines,
    beginning,
    last_lines,
    markdown_lines,
    notice_line,
    own_lines,
    thinking_lines,
)
from bot.render.turns.tool_lines import UNSETTLED, lookup_lines, tool_lines
from bot.text.split import ChangingMessage, FinishedMessage, MessageSplitter, PlannedMessage, TextLine
from bot.transcript import (
    AnswerText,
    Item,
    LookupGroup,
    Notice,
    Slot,
    SubagentGroup,
    Thinking,
    Todos,
    ToolCall,
    Turn,
    TurnProblem,
)


class TurnView:
    """Draws one turn. A call of `messages` only draws what is new, and the message that is still being filled."""

    def __init__(self, turn: Turn, *, thinking: bool = False, retry: RetryTarget | None = None) -> None:
        self.turn = turn
        self.has_retry_buttons = retry is not None
        """Whether a failed turn ends with buttons."""
        self._retry = retry
        self._thinking = thinking
        self._cards: Mapping[str, Message] = {}
        self._reset()

    def _reset(self) -> None:
        self._revision = self.turn.revision
        self._splitter = MessageSplitter()
        self._next = 0
        self._progress: TextProgress | None = None
        self._drawn: list[Message | None] = []
        self._changing: list[int] = []

    def messages(self, cards: Mapping[str, Message]) -> list[Message]:
        """Return the current messages of the turn, including the cards of its tickets."""
        if self._revision != self.turn.revision:
            self._reset()
        self._cards = cards
        self._draw_final_items()
        self._store_finished()
        ahead = self._splitter.fork()
        self._draw_changing_items(ahead)
        out, planned = self._drawn.copy(), ahead.all_planned()
        for place in self._changing:
            out[place] = self._message(self._splitter.planned[place])
        out += map(self._message, planned)
        return self._add_footer([message for message in out if message], ahead.number)

    def _add_footer(self, out: list[Message], number: int) -> list[Message]:
        """Add the footer: to the last message that is not a card while the turn runs, then at the very end."""
        own = next((i for i in range(len(out) - 1, -1, -1) if out[i].key.isdecimal()), None)
        if self.turn.over:
            line = footer(self.turn)
            own = own if own == len(out) - 1 else None
        else:
            line = running_footer(
                self.turn, waiting=sum(_has_active_buttons(message) for message in out if not message.key.isdecimal())
            )
        if own is not None:
            out[own] = _append_line(out[own], line)
        elif line:
            out.append(Message(str(number), line))
        if self.has_retry_buttons and self._retry is not None and self.turn.over and out and out[-1].key.isdecimal():
            out[-1] = replace(out[-1], components=retry_buttons(self.turn, self._retry))
        return out

    def _store_finished(self) -> None:
        """Store the finished messages. Only cards and messages that are edited in place are drawn each time."""
        for place in range(len(self._drawn), len(self._splitter.planned)):
            plan = self._splitter.planned[place]
            if isinstance(plan, FinishedMessage):
                self._drawn.append(plan.message)
            else:
                self._drawn.append(None)
                self._changing.append(place)

    def _message(self, plan: PlannedMessage) -> Message | None:
        match plan:
            case FinishedMessage(message=message):
                return message
            case ChangingMessage():
                return Message(str(plan.number), changing_text(plan.item, self.turn.session.cwd, self._is_waiting))
        return self._cards.get(plan.ticket_id)

    # --- items that are final

    def _draw_final_items(self) -> None:
        items = self.turn.items
        while self._next < len(items):
            item = items[self._next]
            if isinstance(item, AnswerText):
                self._draw_growing_text(item)
                if not item.done:
                    return
                self._progress = None
            elif self._may_change(item):
                return
            else:
                self._draw(item, self._splitter, self._next)
            self._next += 1

    def _may_change(self, item: Item) -> bool:
        match item:
            case ToolCall():
                return item.state in UNSETTLED
            case LookupGroup():
                return item.running > 0 or (not self.turn.over and self._is_last(item))
            case Thinking():
                return self._thinking and not item.done
        return False

    def _is_last(self, item: Item) -> bool:
        for other in reversed(self.turn.items):
            if not isinstance(other, Thinking):
                return other is item
        return False

    def _draw_growing_text(self, item: AnswerText) -> None:
        """Draw the new part of a growing text."""
        if self._progress is None:
            self._separate_texts(self._splitter, self._next)
            self._progress = TextProgress(self._splitter.split_point())
        progress = self._progress
        new = "".join(item.chunks[progress.chunks :])
        progress.chunks = len(item.chunks)
        progress.length += len(new)
        if progress.length > LONG:
            self._shorten(item, progress)
        else:
            *whole, progress.line = (progress.line + new).split("\n")
            for line in whole:
                _add(self._splitter, progress.reader.feed(mask(line)))
        if item.done:
            _add(self._splitter, last_lines(item, progress))
            if progress.shortened:
                self._splitter.attach(answer_file(item))

    def _shorten(self, item: AnswerText, progress: TextProgress) -> None:
        if progress.shortened:
            return
        progress.shortened = True
        self._splitter.return_to(progress.start)
        del self._drawn[progress.start.planned :]
        self._changing = [place for place in self._changing if place < progress.start.planned]
        _add(self._splitter, markdown_lines(beginning(item.text)))

    # --- items that may still change

    def _draw_changing_items(self, ahead: MessageSplitter) -> None:
        for place in range(self._next, len(self.turn.items)):
            item = self.turn.items[place]
            if self._progress is not None and place == self._next and isinstance(item, AnswerText):
                _add(ahead, last_lines(item, self._progress))
            else:
                self._draw(item, ahead, place)
        for slot in self.turn.unplaced:
            ahead.add_card(slot.ticket_id)

    def _draw(self, item: Item, splitter: MessageSplitter, place: int) -> None:
        cwd = self.turn.session.cwd
        match item:
            case AnswerText():
                self._separate_texts(splitter, place)
                _add(splitter, answer_lines(item))
                if len(item.text) > LONG and item.done:
                    splitter.attach(answer_file(item))
            case Thinking() if self._thinking:
                _add(splitter, thinking_lines(item.text))
            case ToolCall():
                _add(splitter, tool_lines(item, cwd, asking=self._is_waiting(item)))
            case LookupGroup():
                _add(splitter, lookup_lines(item, cwd, self._is_waiting))
            case Notice(text):
                splitter.add(notice_line(text))
            case TurnProblem():
                _add(splitter, own_lines(error_message(item, self.turn.session)))
            case SubagentGroup() | Todos():
                splitter.add_changing(item)
            case Slot():
                splitter.add_card(item.ticket_id)

    def _is_waiting(self, call: ToolCall) -> bool:
        card = self._cards.get(self.turn.ticket_of(call.id))
        return card is not None and _has_active_buttons(card)

    def _separate_texts(self, splitter: MessageSplitter, place: int) -> None:
        """Add a blank line between two consecutive texts."""
        for before in reversed(self.turn.items[max(0, place - 8) : place]):
            if isinstance(before, AnswerText):
                splitter.add(TextLine(""))
            if not isinstance(before, Thinking):
                return


def _add(splitter: MessageSplitter, lines: Iterable[TextLine]) -> None:
    for line in lines:
        splitter.add(line)


def _append_line(message: Message, line: str) -> Message:
    return replace(message, text=f"{message.text}\n{line}" if message.text and line else message.text or line)


def _has_active_buttons(card: Message) -> bool:
    """Check whether a card still has a button or menu that can be used."""
    parts = [part for outer in card.components for part in (outer.children if isinstance(outer, Box) else (outer,))]
    return any(
        (isinstance(part, Buttons) and any(not button.disabled for button in part.buttons))
        or (isinstance(part, Select) and not part.disabled)
        for part in parts
    )
