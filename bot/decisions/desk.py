"""The desk: every permission request that waits for a person."""

import asyncio
import logging
import secrets
import time
from collections import Counter
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field, replace
from typing import Protocol

from bot.errors import BotError
from bot.permission_requests.permission_request import PermissionRequest
from bot.permission_requests.ticket import Decided, Draft, Open, Ticket, Via, Withdrawn
from shared.protocol import Allow, Deny

NOBODY_WAITS = "Claude is no longer waiting for an answer"

log = logging.getLogger(__name__)


class RequestMismatch(BotError):  # noqa: N818 - what happened, as in the rest of the tree
    """A request has the id of another one: a person's decision must never apply to something they didn't see."""


class TicketStore(Protocol):
    """Stores tickets, so that they survive a restart of the bot."""

    def add_ticket(self, ticket: Ticket, turn: str) -> None: ...
    def save_ticket(self, ticket: Ticket) -> None: ...
    def save_file(self, ticket: Ticket) -> None: ...
    def close_ticket(self, ticket: Ticket) -> None: ...
    def ticket(self, ticket: str) -> Ticket | None: ...
    def ticket_for(self, run: str, tool_use_id: str) -> Ticket | None: ...


@dataclass(frozen=True, slots=True)
class Waiting:
    """Waits for a ticket's decision."""

    ticket_id: str
    _answer: asyncio.Future[Allow | Deny]

    async def decided(self) -> Allow | Deny:
        return await asyncio.shield(self._answer)  # shared: one cancelled waiter must not cancel it for the others


@dataclass(slots=True)
class Desk:
    """Opens tickets and accepts the first decision on each."""

    store: TicketStore
    listeners: list[Callable[[Ticket], None]] = field(default_factory=list)
    """Called with each new state and each new draft of a ticket."""
    clock: Callable[[], float] = time.time
    _answers: dict[str, asyncio.Future[Allow | Deny]] = field(default_factory=dict)
    _waiters: Counter[str] = field(default_factory=Counter)
    _reasons: dict[int, str] = field(default_factory=dict)
    _late: dict[str, str] = field(default_factory=dict)
    """The withdrawal reasons of tickets that are still open when their turn has ended."""

    @property
    def open_count(self) -> int:
        return len(self._waiters)

    def ticket(self, request: PermissionRequest) -> Ticket:
        """Create a ticket for a request; nobody sees it before `open`."""
        return Ticket(secrets.token_urlsafe(9), request, self.clock())  # twelve characters

    @asynccontextmanager
    async def open(self, new: Ticket, place: Callable[[str], str]) -> AsyncIterator[Waiting]:
        """Keep a ticket open as long as someone waits for it.

        The same request asked again (same run, same tool use) gets its old ticket, and the decision if there is one.
        `place` gives a new ticket's card its place and returns the id of its turn.
        """
        ticket = self._find_or_add(new, place)
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
    ) -> Ticket | None:
        """Decide a ticket and return it; return None if it is no longer open."""
        if (ticket := self._open(ticket_id)) is None:
            return None
        decided = replace(ticket, state=Decided(decision, by, self.clock(), note, via))
        self.store.close_ticket(decided)
        answer = self._answers.get(ticket_id)
        if answer is not None and not answer.done():
            answer.set_result(decision)
        self._announce(decided)
        return decided

    def redraft(self, ticket_id: str, draft: Draft) -> Ticket | None:
        """Save what a person has filled in so far; return None if the ticket is no longer open."""
        ticket = self._open(ticket_id)
        return self._save(replace(ticket, draft=draft)) if ticket else None

    def update_file(self, ticket_id: str, request: PermissionRequest, changed_at: float) -> Ticket | None:
        """Save a request with its file as it is now; return None if the ticket is no longer open."""
        if (ticket := self._open(ticket_id)) is None:
            return None
        ticket = replace(ticket, request=request, changed_at=changed_at)
        self.store.save_file(ticket)
        self._announce(ticket)
        return ticket

    def withdraw(self, ticket_id: str, default_reason: str) -> None:
        """Withdraw a ticket that nobody waits for, unless it is decided; a reason that was set before comes first."""
        if (ticket := self._open(ticket_id)) is not None:
            reason = self._reasons.get(ticket.conversation, default_reason)
            self._save(replace(ticket, state=Withdrawn(reason, self.clock())))

    def set_withdrawal_reason(self, conversation: int, reason: str | None) -> None:
        """Set why a conversation's tickets are about to be withdrawn; None clears it for tickets opened from now on."""
        if reason is not None:
            self._reasons[conversation] = reason
        elif (last := self._reasons.pop(conversation, None)) is not None:
            for ticket in filter(None, map(self.store.ticket, self._answers)):
                if ticket.conversation == conversation and isinstance(ticket.state, Open):
                    self._late[ticket.id] = last

    def redraw(self, ticket_id: str) -> None:
        """Tell the listeners about a ticket as it is now: Discord may not show its card as it is."""
        if (ticket := self.store.ticket(ticket_id)) is not None:
            self._announce(ticket)

    def _announce(self, ticket: Ticket) -> None:
        """Tell the listeners about a ticket's new state. Whoever decided it gets the reply first."""
        if isinstance(ticket.state, Decided):
            asyncio.get_running_loop().call_soon(self._tell_listeners, ticket)
        else:
            self._tell_listeners(ticket)

    def _tell_listeners(self, ticket: Ticket) -> None:
        """Call each listener; if one fails, the others and whoever changed the ticket go on."""
        for listener in self.listeners:
            try:
                listener(ticket)
            except Exception:
                log.exception("A listener failed for ticket %s of thread %s.", ticket.id, ticket.conversation)

    def _open(self, ticket_id: str) -> Ticket | None:
        ticket = self.store.ticket(ticket_id)
        return ticket if ticket is not None and isinstance(ticket.state, Open) else None

    def _find_or_add(self, new: Ticket, place: Callable[[str], str]) -> Ticket:
        request = new.request
        known = self.store.ticket_for(request.run, request.tool_use_id)
        if known is None:
            self.store.add_ticket(new, place(new.id))
            self._announce(new)
            return new
        if known.request.call != request.call:
            raise RequestMismatch(f"Another request was already made as {request.tool_use_id}.")
        if isinstance(known.state, Withdrawn):  # the permission server stopped waiting and asks again
            return self._save(replace(known, state=Open()))
        return known

    def _save(self, ticket: Ticket) -> Ticket:
        if isinstance(ticket.state, Open):
            self.store.save_ticket(ticket)
        else:
            self.store.close_ticket(ticket)
        self._announce(ticket)
        return ticket
