"""The turns that a thread shows: the one that is going on, those that ended lately, and their cards."""

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
"""Turns that are kept after their end: what they left in the background still belongs to them."""


@dataclass(slots=True)
class ShownTurn:
    """A turn, and how Discord shows it."""

    record: TurnRecord
    turn: Turn
    view: TurnView
    prompt: Prompt | None = None
    taken: bool = False
    """Claude has begun with the prompt: its echo stands in the journal."""
    stopping: bool = False
    """Somebody has stopped it; Claude has not come to its end yet."""


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
        """The turn that is going on."""
        self.tickets = {ticket.id: ticket for ticket in store.open_tickets(conversation)}
        """The open ones, and those of the turn that is going on."""
        self._conversation = conversation
        self._store = store
        self._channel = channel
        self._clock = clock
        self._thinking = thinking
        self._earlier: deque[ShownTurn] = deque(maxlen=KEPT_TURNS)
        self._previous: PreviousTurn | None = None
        self._next_look: asyncio.TimerHandle | None = None

    def __iter__(self) -> Iterator[ShownTurn]:
        """Give the turn that is going on, then those that may have left something in the background, newest first."""
        if self.turn is not None:
            yield self.turn
        yield from self._earlier

    @property
    def waiting(self) -> list[Ticket]:
        """The requests that a person has to answer."""
        return [ticket for ticket in self.tickets.values() if isinstance(ticket.state, Open)]

    @property
    def last_answer(self) -> str:
        """What Claude said at the end of its last turn, as long as its process is there."""
        return next((known.turn.ended.text for known in self if known.turn.ended), "").strip()

    def knows(self, tool_use_id: str) -> bool:
        return any(known.turn.knows(tool_use_id) for known in self)

    def asker(self, tool_use_id: str) -> ShownTurn | None:
        """The turn that makes this call; where none is known to, the one that is going on."""
        return next((known for known in self if known.turn.knows(tool_use_id)), self.turn)

    def owner(self, event: Event) -> ShownTurn | None:
        """The turn that an event is about, going on or ended."""
        return next((known for known in self if known.turn.owns(event)), None)

    # Turns come and go

    def begin(self, run: str, offset: int, prompt: Prompt | None = None) -> ShownTurn:
        """Open a turn at this place in a run's journal: for a prompt, or because Claude has begun by itself."""
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
        self.withhold_offers()
        return self._put(record, prompt)

    def resume(self, record: TurnRecord, prompt: Prompt | None) -> None:
        """Show a turn again that an earlier bot began; the journal tells the rest."""
        shown = self._put(record, prompt)
        self.tickets |= self._place_cards(shown)

    def again(self, record: TurnRecord) -> ShownTurn:
        """Make an ended turn anew, with its cards in their places; the journal's events are still to come."""
        turn = Turn(record.prompted_by, record.started_at, self._previous)
        shown = ShownTurn(record, turn, self._view(turn, record))
        self._place_cards(shown)
        return shown

    def remember(self, shown: ShownTurn) -> None:
        """Keep an ended turn for what comes of it later."""
        self._earlier.appendleft(shown)
        self._previous = shown.turn.as_previous()

    def finish(self, shown: ShownTurn, offset: int) -> None:
        """The turn has ended, at this place in the journal."""
        done = shown.prompt.id if shown.prompt is not None and shown.taken else None
        self._store.end_turn(shown.record.id, offset, done)
        if shown.turn.cost is not None:
            self._store.set_cost(shown.record.id, shown.turn.cost)
        self.refresh()
        self.note_once_shown(shown.record.id)
        self.turn = None
        self.remember(shown)
        self.tickets = {ticket.id: ticket for ticket in self.waiting}

    def take_back(self, shown: ShownTurn, prompt: Prompt) -> None:
        """Show nothing of a turn whose prompt was never taken: it is queued again as if it had never been sent."""
        record = shown.record
        self._store.end_turn(record.id, record.offset, prompt.id, "queued")
        self._channel.show(record.id, list)
        self.note_once_shown(record.id)
        self.turn = None

    def take(self, shown: ShownTurn, event: Event) -> None:
        """Take in what Claude said or did in a turn; an event that can't be taken in is left out."""
        try:
            shown.turn.apply(event, self._clock())
        except Exception:
            log.exception("An event in thread %s can't be shown: %.200r", self._conversation, event)
        for block in event.blocks if isinstance(event, Assistant) else ():
            # A request may be here before its own line; and a bot that comes later reads the lines again.
            if isinstance(block, ToolUse) and (entry := self._store.passed(shown.record.run, block.id)):
                shown.turn.passed(block.id, entry.note, entry.at)
        if isinstance(event, Assistant | User):
            self._look_again()

    def _look_again(self) -> None:
        """Come back when a call that nobody is asked about counts as running: no event tells of that."""
        if self._next_look is not None:
            self._next_look.cancel()
            self._next_look = None
        at = min((at for known in self if (at := known.turn.next_unasked) is not None), default=None)
        if at is not None:
            pause = max(at - self._clock(), 0.0)
            self._next_look = asyncio.get_running_loop().call_later(pause, self._begin_unasked)

    def _begin_unasked(self) -> None:
        for known in self:
            if known.turn.begin_unasked(self._clock()):
                self.show(known)
        self._look_again()

    def passed(self, tool_use_id: str, rule: str, at: float) -> None:
        """Show that a rule let a call pass."""
        if (shown := self.asker(tool_use_id)) is not None:
            shown.turn.passed(tool_use_id, rule, at)
            self.show(shown)

    def forget_earlier(self) -> None:
        """The process is gone: nothing more can come of what has ended."""
        self._earlier.clear()

    # Cards

    def place(self, shown: ShownTurn, ticket: str, tool_use_id: str) -> str:
        """Give a card its place in a turn; tells in which."""
        shown.turn.slot(ticket, tool_use_id)
        return shown.record.id

    def ticket_changed(self, ticket: Ticket) -> None:
        """Show a ticket as it is now."""
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

    def tidy(self, rightly: set[str]) -> None:
        """Put right what a bot that died may have left half done: notes of the queue, cards as they were answered."""
        for left in self._store.unsettled(self._conversation):
            ticket_id = CARD.parse(left.key)
            ticket = self._store.ticket(ticket_id) if ticket_id else None
            if ticket is not None:
                self._channel.amend(left.view, card(ticket))
            elif QUEUE_NOTE.covers(left.view) and left.view not in rightly:
                self._channel.show(left.view, list)

    def _place_cards(self, shown: ShownTurn) -> Mapping[str, Ticket]:
        tickets = self._store.tickets_of(shown.record.id)
        for ticket in tickets:
            shown.turn.slot(ticket.id, ticket.request.tool_use_id)
            _settle(shown.turn, ticket)
        return {ticket.id: ticket for ticket in tickets}

    # Showing

    def refresh(self) -> None:
        """Have the turn shown as it is now."""
        if self.turn is not None:
            self.show(self.turn)
        self._channel.working(on=self.turn is not None and not self.waiting)

    def offer_allow_all(self) -> None:
        """Offer one button for several requests, where there are some that may be allowed together."""
        self._channel.show(
            ALLOW_ALL.of(self._conversation), lambda: [allow_all.draw(group) for group in find_groups(self.waiting)]
        )

    def show(self, shown: ShownTurn) -> None:
        self._channel.show(shown.record.id, lambda: shown.view.messages(self._cards(shown)))

    def _cards(self, shown: ShownTurn) -> dict[str, Message]:
        """The cards of a turn as they are now, not as they were when it was last told to be shown."""
        tickets = self.tickets.values() if shown is self.turn else self._store.tickets_of(shown.record.id)
        return {ticket.id: card(ticket) for ticket in tickets}

    def note_once_shown(self, turn: str) -> None:
        """Remember that a turn's end stands in Discord; until then the next bot would show it again."""
        self._channel.once_shown(turn, lambda: self._store.set_shown(turn, shown=True))

    def _put(self, record: TurnRecord, prompt: Prompt | None) -> ShownTurn:
        turn = Turn(record.prompted_by, record.started_at, self._previous)
        self.turn = ShownTurn(record, turn, self._view(turn, record), prompt)
        self.refresh()
        return self.turn

    def _view(self, turn: Turn, record: TurnRecord) -> TurnView:
        return TurnView(turn, thinking=self._thinking(), retry=RetryTarget(record.conversation, record.prompt))

    def withhold_offers(self) -> None:
        """Take away the buttons under earlier turns: life has gone on."""
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
    """Give what runs where a person changed it; the answers to questions are no change."""
    given = decision.updated_input if isinstance(decision, Allow) else ticket.request.input
    unchanged = given == ticket.request.input or isinstance(ticket.request.action, AskQuestions)
    return None if unchanged else given
