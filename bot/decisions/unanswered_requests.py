"""Sends reminders for requests that nobody answers, and times them out."""

import asyncio
import logging
import time
from collections.abc import Awaitable, Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Protocol

from bot.config import ApprovalSettings, People, Project
from bot.decisions.desk import Desk
from bot.decisions.reminders import reminder, reminders_due
from bot.decisions.time_out import time_out, timeout_at
from bot.message_names import REMINDER
from bot.messages import Message
from bot.permission_requests.ticket import Open, Ticket

LONGEST_PAUSE = 30.0
"""Seconds after which the clock and the settings are checked again even if nothing is due."""
SHORTEST_PAUSE = 0.2
"""Least seconds between two checks: requests may come by the hundred."""


log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class DueActions:
    """What is due for a ticket, and when to check again."""

    reminders: int
    """How many reminders should have been sent by now."""
    timed_out: bool
    next: float | None
    """When something else will be due; None if nothing will."""


def due_actions(opened_at: float, decisions: ApprovalSettings, now: float) -> DueActions:
    """Return what is due, counted from when the request came so that no restart loses it."""
    ends = timeout_at(opened_at, decisions)
    if ends is not None and now >= ends:
        return DueActions(0, timed_out=True, next=None)
    reminders = reminders_due(opened_at, decisions, now)
    return DueActions(reminders.count, timed_out=False, next=min(filter(None, (reminders.next, ends)), default=None))


class ReminderChannel(Protocol):
    def show(self, view: str, messages: Callable[[], Sequence[Message]]) -> None: ...


class OpenTickets(Protocol):
    def open_since(self) -> list[tuple[str, int, float]]:
        """Return each open ticket's id, its conversation, and when it was opened."""

    def ticket(self, ticket: str) -> Ticket | None: ...


@dataclass(frozen=True, slots=True)
class UnansweredRequests:
    """Checks the open requests whenever something is due."""

    channel: Callable[[int], Awaitable[ReminderChannel | None]]
    """Returns the channel of a thread."""
    project: Callable[[int], Project | None]
    """Returns the project of a thread."""
    tickets: OpenTickets
    desk: Desk
    clock: Callable[[], float] = time.time
    _changed: asyncio.Event = field(default_factory=asyncio.Event)
    _failed: set[str] = field(default_factory=set)
    """The tickets that could not be checked; each is logged once."""

    def ticket_changed(self, _: Ticket) -> None:
        """Check again soon, because a request came or was settled."""
        self._changed.set()

    async def watch(self) -> None:
        """Check the requests until cancelled."""
        while True:
            self._changed.clear()
            pause = await self.check()
            with suppress(TimeoutError):
                async with asyncio.timeout(pause):
                    await self._changed.wait()
            await asyncio.sleep(SHORTEST_PAUSE)

    async def check(self) -> float:
        """Send what is due now; return the seconds until the next check."""
        pause = LONGEST_PAUSE
        projects: dict[int, Project | None] = {}
        for name, thread, opened_at in self.tickets.open_since():
            try:
                if thread not in projects:
                    projects[thread] = self.project(thread)
                if (project := projects[thread]) is not None:
                    pause = min(pause, await self._check_ticket(name, opened_at, project))
            except Exception:
                if name not in self._failed:
                    log.exception("The request %s of thread %s can't be checked.", name, thread)
                    self._failed.add(name)
        return pause

    async def _check_ticket(self, name: str, opened_at: float, project: Project) -> float:
        """Send what is due for one ticket; return the seconds until something else is."""
        now = self.clock()
        found = due_actions(opened_at, project.decisions, now)
        if found.timed_out:
            time_out(name, self.desk)
        elif found.reminders and (ticket := self.tickets.ticket(name)):
            await self._remind(ticket, project.decide, found.reminders)
        return LONGEST_PAUSE if found.next is None else max(found.next - now, 0.0)

    async def _remind(self, ticket: Ticket, people: People, number: int) -> None:
        """Show the reminder that is due; one that is already in Discord is not sent again, even after a restart."""
        channel = await self.channel(ticket.conversation)
        now = self.tickets.ticket(ticket.id)
        if channel is not None and now is not None and isinstance(now.state, Open):
            channel.show(REMINDER.of(ticket.id), lambda: [reminder(ticket, people, number)])
