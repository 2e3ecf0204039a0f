"""The desk: every request that waits for a person."""

import asyncio
import secrets
import time
from collections import Counter
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field, replace
from typing import Protocol

from bot import audit_log
from bot.errors import BotError
from bot.permission_requests.ticket import Decided, Draft, Open, Origin, Seen, Ticket, Via, Withdrawn
from shared.protocol import Allow, Deny, Request

NOBODY_WAITS = "Claude no longer waits for an answer"


class AskedDifferently(BotError):  # noqa: N818 - what happened, as in the rest of the tree
    """A request came under the name of another: a person must never have decided on something else."""


class TicketStore(Protocol):
    """Where tickets survive the bot."""

    def add_ticket(self, ticket: Ticket, run: str, turn: str) -> None: ...
    def save_ticket(self, ticket: Ticket) -> None: ...
    def save_file(self, ticket: Ticket) -> None: ...
    def close_ticket(self, ticket: Ticket, entry: audit_log.Entry) -> None: ...
    def ticket(self, ticket: str) -> Ticket | None: ...
    def ticket_for(self, run: str, tool_use_id: str) -> Ticket | None: ...


@dataclass(frozen=True, slots=True)
class Asking:
    """A request with all that its ticket needs to know."""

    conversation: int
    run: str
    request: Request
    origin: Origin
    file: Seen = field(default_factory=Seen)


@dataclass(frozen=True, slots=True)
class Waiting:
    """Somebody who waits for a ticket's decision."""

    ticket_id: str
    _answer: asyncio.Future[Allow | Deny]

    async def decided(self) -> Allow | Deny:
        return await asyncio.shield(self._answer)  # shared: one who leaves must not end it for the others


@dataclass(slots=True)
class Desk:
    """Opens tickets, and takes each one's first decision."""

    store: TicketStore
    changed: Callable[[Ticket], None]
    """Told of each new state and each new draft."""
    clock: Callable[[], float] = time.time
    _answers: dict[str, asyncio.Future[Allow | Deny]] = field(default_factory=dict)
    _waiters: Counter[str] = field(default_factory=Counter)
    _reasons: dict[int, str] = field(default_factory=dict)
    _late: dict[str, str] = field(default_factory=dict)
    """The reasons of tickets that are still waited for when their turn is over."""

    @property
    def load(self) -> int:
        """How many tickets are waited for."""
        return len(self._waiters)

    @asynccontextmanager
    async def open(self, asking: Asking, place: Callable[[str], str]) -> AsyncIterator[Waiting]:
        """Keep a ticket open exactly as long as someone waits.

        The same request asked again (same run, same tool use) finds its old ticket, and the decision if there is one.
        `place` gives a new ticket's card its place, and tells in which turn that is.
        """
        ticket = self._ticket(asking, place)
        answer = self._answers.setdefault(ticket.id, asyncio.get_running_loop().create_future())
        if isinstance(ticket.state, Decided) and not answer.done():
            answer.set_result(ticket.state.decision)
        self._waiters[ticket.id] += 1
        try:
            yield Waiting(ticket.id, answer)
        finally:
            self._waiters[ticket.id] -= 1
            if not self._waiters[ticket.id]:
                del self._waiters[ticket.id], self._answers[ticket.id]
                self.withdraw(ticket.id, self._late.pop(ticket.id, NOBODY_WAITS))

    def decide(
        self, ticket_id: str, decision: Allow | Deny, by: int | None, note: str = "", via: Via = "button"
    ) -> bool:
        """Take the decision; False for everyone but the first."""
        ticket = self.store.ticket(ticket_id)
        if ticket is None or not isinstance(ticket.state, Open):
            return False
        self._settle(replace(ticket, state=Decided(decision, by, self.clock(), note, via)))
        answer = self._answers.get(ticket_id)
        if answer is not None and not answer.done():
            answer.set_result(decision)
        return True

    def redraft(self, ticket_id: str, draft: Draft) -> bool:
        """Keep what a person has filled in so far."""
        ticket = self.store.ticket(ticket_id)
        if ticket is None or not isinstance(ticket.state, Open):
            return False
        self._settle(replace(ticket, draft=draft))
        return True

    def refile(self, ticket_id: str, file: Seen) -> None:
        """Keep what a ticket's file is like now."""
        ticket = self.store.ticket(ticket_id)
        if ticket is not None and isinstance(ticket.state, Open):
            ticket = replace(ticket, file=file)
            self.store.save_file(ticket)
            self.changed(ticket)

    def withdraw(self, ticket_id: str, otherwise: str) -> None:
        """Close a ticket that nobody waits for, for the reason that was given before; one that is decided stays so."""
        ticket = self.store.ticket(ticket_id)
        if ticket is not None and isinstance(ticket.state, Open):
            reason = self._reasons.get(ticket.conversation, otherwise)
            self._settle(replace(ticket, state=Withdrawn(reason, self.clock())))

    def because(self, conversation: int, reason: str | None) -> None:
        """Say why a conversation's tickets are about to be withdrawn; None: not those that are still to come."""
        if reason is not None:
            self._reasons[conversation] = reason
        elif (last := self._reasons.pop(conversation, None)) is not None:
            for ticket in filter(None, map(self.store.ticket, self._answers)):
                if ticket.conversation == conversation and isinstance(ticket.state, Open):
                    self._late[ticket.id] = last

    def _ticket(self, asking: Asking, place: Callable[[str], str]) -> Ticket:
        known = self.store.ticket_for(asking.run, asking.request.tool_use_id)
        if known is None:
            ticket = Ticket(
                id=secrets.token_urlsafe(9),  # twelve characters
                conversation=asking.conversation,
                request=asking.request,
                origin=asking.origin,
                opened_at=self.clock(),
                file=asking.file,
            )
            self.store.add_ticket(ticket, asking.run, place(ticket.id))
            self.changed(ticket)
            return ticket
        if known.request != asking.request:
            raise AskedDifferently(f"Another request was already made as {known.request.tool_use_id}.")
        if isinstance(known.state, Withdrawn):  # the asker went away and came back
            known = replace(known, state=Open())
            self._settle(known)
        return known

    def _settle(self, ticket: Ticket) -> None:
        if isinstance(ticket.state, Open):
            self.store.save_ticket(ticket)
        else:
            self.store.close_ticket(ticket, audit_log.settled(ticket))
        self.changed(ticket)
