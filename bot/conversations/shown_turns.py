"""The turns that a thread shows: the current one, those that ended recently, and their cards."""

import asyncio
import logging
import secrets
from collections import deque
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from bot.events import Assistant, Event, ToolUse, User
from bot.message_names import ALLOW_ALL, CARD, QUEUE_NOTE, REMINDER
from bot.messages import Message
from bot.permission_requests.allow_all import find_groups
from bot.permission_requests.ticket import Decided, Open, Ticket, Withdrawn
from bot.permission_requests.tool_input import AskQuestions
from bot.ports import Channel, ConversationStore
from bot.records import Prompt, TurnRecord
from bot.render.cards import allow_all
from bot.render.cards.card import card
from bot.render.turns.retry_buttons import RetryTarget
from bot.render.turns.turn import TurnView
from bot.transcript import PreviousTurn, Turn
from shared.protocol import Allow, Deny

log = logging.getLogger(__name__)

KEPT_TURNS = 3
"""Turns that are kept after their end: their background tasks still belong to them."""


@dataclass(slots=True)
class ShownTurn:
    """A turn and its view in Discord."""

    record: TurnRecord
    turn: Turn
    view: TurnView
    prompt: Prompt | None = None
    taken: bool = False
    """Claude has started on the prompt: its echo is in the journal."""
    stopping: bool = False
    """Someone has stopped it, but Claude has not ended it yet."""


class ShownTurns:
    """Claude's turns in one thread."""

    def __init__(
        self,
        conversation: int,
        store: ConversationStore,
        channel: Channel,
        clock: Callable[[], float],
        *,
        thinking: Callable[[], bool] = bool,
    ) -> None:
        self.turn: ShownTurn | None = None
        """The current turn."""
        self.tickets = {ticket.id: ticket for ticket in store.open_tickets(conversation)}
        """The open tickets and those of the current turn."""
        self._conversation = conversation
        self._store = store
        self._channel = channel
        self._clock = clock
        self._thinking = thinking
        self._earlier: deque[ShownTurn] = deque(maxlen=KEPT_TURNS)
        self._previous: PreviousTurn | None = None
        self._next_check: asyncio.TimerHandle | None = None

    def __iter__(self) -> Iterator[ShownTurn]:
        """Yield the current turn, then those that may have left something in the background, newest first."""
        if self.turn is not None:
            yield self.turn
        yield from self._earlier

    @property
    def waiting(self) -> list[Ticket]:
        """The tickets of requests that wait for a person."""
        return [ticket for ticket in self.tickets.values() if isinstance(ticket.state, Open)]

    @property
    def last_answer(self) -> str:
        """What Claude said at the end of its last turn, while its process is running."""
        return next((known.turn.ended.text for known in self if known.turn.ended), "").strip()

    def knows(self, tool_use_id: str) -> bool:
        return any(known.turn.knows(tool_use_id) for known in self)

    def turn_of_call(self, tool_use_id: str) -> ShownTurn | None:
        """Return the turn that makes this tool call, or the current one if the call is unknown."""
        return next((known for known in self if known.turn.knows(tool_use_id)), self.turn)

    def turn_of_event(self, event: Event) -> ShownTurn | None:
        """Return the turn, current or ended, that an event belongs to."""
        return next((known for known in self if known.turn.owns(event)), None)

    # Beginning and ending turns

    def begin(self, run: str, offset: int, prompt: Prompt | None = None) -> ShownTurn:
        """Begin a turn at this offset of a run's journal: for a prompt, or because Claude started by itself."""
        record = TurnRecord(
            id=secrets.token_hex(8),
            conversation=self._conversation,
            run=run,
            offset=offset,
            started_at=self._clock(),
            prompt=prompt.id if prompt else None,
            prompted_by=prompt.author if prompt else None,
        )
        self._store.add_turn(record)
        self.remove_retry_buttons()
        return self._show_new(record, prompt)

    def resume(self, record: TurnRecord, prompt: Prompt | None) -> None:
        """Continue a turn that an earlier bot began; the journal has its events."""
        shown = self._show_new(record, prompt)
        self.tickets |= self._place_cards(shown)

    def rebuild(self, record: TurnRecord) -> ShownTurn:
        """Create an ended turn again, with its cards in their places but without the journal's events."""
        turn = Turn(record.prompted_by, record.started_at, self._previous)
        shown = ShownTurn(record, turn, self._view(turn, record))
        self._place_cards(shown)
        return shown

    def remember(self, shown: ShownTurn) -> None:
        """Keep an ended turn for later events of its background tasks."""
        self._earlier.appendleft(shown)
        self._previous = shown.turn.as_previous()

    def finish(self, shown: ShownTurn, offset: int) -> None:
        """End a turn at this offset of the journal."""
        done = shown.prompt.id if shown.prompt is not None and shown.taken else None
        self._store.end_turn(shown.record.id, offset, done)
        if shown.turn.cost is not None:
            self._store.set_cost(shown.record.id, shown.turn.cost)
        self.refresh()
        self.note_once_shown(shown.record.id)
        self.turn = None
        self.remember(shown)
        self.tickets = {ticket.id: ticket for ticket in self.waiting}

    def requeue(self, shown: ShownTurn, prompt: Prompt) -> None:
        """Remove a turn whose prompt Claude never started on: the prompt is queued again as if it was never sent."""
        record = shown.record
        self._store.end_turn(record.id, record.offset, prompt.id, "queued")
        self._channel.show(record.id, list)
        self.note_once_shown(record.id)
        self.turn = None

    def apply(self, shown: ShownTurn, event: Event) -> None:
        """Apply an event to a turn; an event that causes an error is logged and skipped."""
        try:
            shown.turn.apply(event, self._clock())
        except Exception:
            log.exception("An event in thread %s can't be shown: %.200r", self._conversation, event)
        for block in event.blocks if isinstance(event, Assistant) else ():
            # A request may arrive before its own line, and a later bot reads the lines again.
            if isinstance(block, ToolUse) and (entry := self._store.passed(shown.record.run, block.id)):
                shown.turn.allowed_by_rule(block.id, entry.note, entry.at)
        if isinstance(event, Assistant | User):
            self._schedule_check()

    def _schedule_check(self) -> None:
        """Schedule when a call that needs no permission counts as running: no event says so."""
        if self._next_check is not None:
            self._next_check.cancel()
            self._next_check = None
        at = min((at for known in self if (at := known.turn.next_unasked_at) is not None), default=None)
        if at is not None:
            pause = max(at - self._clock(), 0.0)
            self._next_check = asyncio.get_running_loop().call_later(pause, self._begin_unasked)

    def _begin_unasked(self) -> None:
        for known in self:
            if known.turn.start_unasked(self._clock()):
                self.show(known)
        self._schedule_check()

    def allowed_by_rule(self, tool_use_id: str, rule: str, at: float) -> None:
        """Show that a rule allowed a call."""
        if (shown := self.turn_of_call(tool_use_id)) is not None:
            shown.turn.allowed_by_rule(tool_use_id, rule, at)
            self.show(shown)

    def forget_earlier(self) -> None:
        """Forget the ended turns: their process has ended, so no more events can belong to them."""
        self._earlier.clear()

    # Cards

    def place_card(self, shown: ShownTurn, ticket: str, tool_use_id: str) -> str:
        """Give a card its place in a turn, and return the turn's id."""
        shown.turn.place_card(ticket, tool_use_id)
        return shown.record.id

    def ticket_changed(self, ticket: Ticket) -> None:
        """Update a ticket's card."""
        self.tickets[ticket.id] = ticket
        if self.turn is not None:
            _settle(self.turn.turn, ticket)
        view = self._store.view_of_ticket(ticket.id)
        if view is not None and (self.turn is None or self.turn.record.id != view):
            self._store.set_shown(view, shown=False)
            self._channel.amend(view, card(ticket))
            self.note_once_shown(view)
            if not isinstance(ticket.state, Open):
                del self.tickets[ticket.id]
        self.refresh()
        if not isinstance(ticket.state, Open):
            self._channel.show(REMINDER.of(ticket.id), list)
        self.offer_allow_all()

    def clean_up(self, note_views: set[str]) -> None:
        """Finish what a killed bot may have left half done: update cards, remove queue notes not in `note_views`."""
        for left in self._store.unsettled(self._conversation):
            ticket_id = CARD.parse(left.key)
            ticket = self._store.ticket(ticket_id) if ticket_id else None
            if ticket is not None:
                self._channel.amend(left.view, card(ticket))
            elif QUEUE_NOTE.covers(left.view) and left.view not in note_views:
                self._channel.show(left.view, list)

    def _place_cards(self, shown: ShownTurn) -> Mapping[str, Ticket]:
        tickets = self._store.tickets_of(shown.record.id)
        for ticket in tickets:
            shown.turn.place_card(ticket.id, ticket.request.tool_use_id)
            _settle(shown.turn, ticket)
        return {ticket.id: ticket for ticket in tickets}

    # Showing

    def refresh(self) -> None:
        """Show the current turn as it is now."""
        if self.turn is not None:
            self.show(self.turn)
        self._channel.working(on=self.turn is not None and not self.waiting)

    def offer_allow_all(self) -> None:
        """Offer a button for each group of requests that can be allowed together."""
        self._channel.show(
            ALLOW_ALL.of(self._conversation), lambda: [allow_all.draw(group) for group in find_groups(self.waiting)]
        )

    def show(self, shown: ShownTurn) -> None:
        self._channel.show(shown.record.id, lambda: shown.view.messages(self._cards(shown)))

    def _cards(self, shown: ShownTurn) -> dict[str, Message]:
        """Return the cards of a turn as they are now, not as they were when `show` was called."""
        tickets = self.tickets.values() if shown is self.turn else self._store.tickets_of(shown.record.id)
        return {ticket.id: card(ticket) for ticket in tickets}

    def note_once_shown(self, turn: str) -> None:
        """Mark a turn as shown once its end is in Discord; until then the next bot would show it again."""
        self._channel.once_shown(turn, lambda: self._store.set_shown(turn, shown=True))

    def _show_new(self, record: TurnRecord, prompt: Prompt | None) -> ShownTurn:
        turn = Turn(record.prompted_by, record.started_at, self._previous)
        self.turn = ShownTurn(record, turn, self._view(turn, record), prompt)
        self.refresh()
        return self.turn

    def _view(self, turn: Turn, record: TurnRecord) -> TurnView:
        return TurnView(turn, thinking=self._thinking(), retry=RetryTarget(record.conversation, record.prompt))

    def remove_retry_buttons(self) -> None:
        """Remove the buttons below earlier turns, which are out of date when the conversation continues."""
        for known in self._earlier:
            if known.view.has_retry_buttons:
                known.view.has_retry_buttons = False
                self.show(known)


def _settle(turn: Turn, ticket: Ticket) -> None:
    match ticket.state:
        case Decided(decision=decision, at=at):
            turn.answered(ticket.id, allowed=isinstance(decision, Allow), at=at, edited=_edited(ticket, decision))
        case Withdrawn(at=at):
            turn.answered(ticket.id, allowed=False, at=at)


def _edited(ticket: Ticket, decision: Allow | Deny) -> Mapping[str, Any] | None:
    """Return the input that runs if a person edited it; answers to questions are not an edit."""
    final = decision.updated_input if isinstance(decision, Allow) else ticket.request.input
    unchanged = final == ticket.request.input or isinstance(ticket.request.action, AskQuestions)
    return None if unchanged else final
