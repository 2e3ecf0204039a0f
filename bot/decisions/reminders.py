"""When nobody answers: a reminder, ever more rarely, never in quiet hours; and a time-out where one is wanted."""

import asyncio
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Protocol

from bot.config import ApprovalSettings, People, Project
from bot.decisions.desk import Desk
from bot.message_names import REMINDER
from bot.messages import Message
from bot.permission_requests.ticket import Open, Ticket
from shared.protocol import Deny

NOBODY = (
    "Nobody was there to answer this in time. That is not a refusal: nobody has looked at it. "
    "Go on with what needs no answer, or stop and say what you are waiting for."
)
RARER = 3
"""Each reminder waits so many times as long as the one before it."""
LONGEST = 24 * 3600.0
"""But not longer than a day."""
LOOK_AT_LEAST = 30.0
"""Seconds after which the clock and the settings are looked at again, whatever is due."""
PACE = 0.2
"""Seconds between two looks at least: requests may come by the hundred."""
MOST_MENTIONED = 20


@dataclass(frozen=True, slots=True)
class Due:
    """What is due for a ticket, and when to look again."""

    reminders: int
    """How many reminders should have come by now."""
    timed_out: bool
    next: float | None
    """When something else will be due; None: never."""


def due(opened_at: float, decisions: ApprovalSettings, now: float) -> Due:
    """Say what is due: all of it follows from when the request came, so that no restart loses it."""
    ends = opened_at + decisions.timeout if decisions.timeout else None
    if ends is not None and now >= ends:
        return Due(0, timed_out=True, next=None)
    count, coming = 0, None
    wait, at = decisions.remind_after, opened_at
    while wait:
        at += wait
        moment = _after_quiet_hours(at, decisions)
        if moment > now:
            coming = moment
            break
        count += 1
        wait = min(wait * RARER, LONGEST)
    return Due(count, timed_out=False, next=min(filter(None, (coming, ends)), default=None))


def _after_quiet_hours(moment: float, decisions: ApprovalSettings) -> float:
    """Put off a moment in the quiet hours to their end."""
    if decisions.quiet is None:
        return moment
    begin, end = decisions.quiet
    then = datetime.fromtimestamp(moment).astimezone()
    clock = then.time()
    quiet = begin <= clock < end if begin <= end else clock >= begin or clock < end
    if not quiet:
        return moment
    morning = datetime.combine(then.date(), end).astimezone()
    if morning <= then:
        morning = datetime.combine(then.date() + timedelta(days=1), end).astimezone()
    return morning.timestamp()


def reminder(ticket: Ticket, people: People, number: int) -> Message:
    """Mention those who may decide, and who asked for it; each reminder is another message, the one before it goes."""
    asker = ticket.origin.prompted_by
    users = sorted(people.users | ({asker} if asker is not None else set()))[:MOST_MENTIONED]
    roles = sorted(people.roles)[:MOST_MENTIONED]
    named = " ".join([*(f"<@{user}>" for user in users), *(f"<@&{role}>" for role in roles)])
    text = f"⏰ Claude has been waiting for an answer since <t:{int(ticket.opened_at)}:R>. {named}"
    return Message(f"{number}", text, mentions=tuple(users), mentioned_roles=tuple(roles))


class Channel(Protocol):
    def show(self, view: str, messages: Callable[[], Sequence[Message]]) -> None: ...


class Channels(Protocol):
    async def channel(self, thread: int) -> Channel | None: ...


class Projects(Protocol):
    def in_thread(self, conversation: int) -> Project | None: ...


class Tickets(Protocol):
    def open_since(self) -> list[tuple[str, int, float]]:
        """Each open ticket's name, its conversation, and since when."""

    def ticket(self, ticket: str) -> Ticket | None: ...


@dataclass(frozen=True, slots=True)
class Rounds:
    """Goes from open request to open request, whenever something is due."""

    channels: Channels
    projects: Projects
    tickets: Tickets
    desk: Desk
    changed: asyncio.Event
    """Set when a request has come or was settled."""
    clock: Callable[[], float] = time.time

    async def walk(self) -> None:
        """Walk until cancelled."""
        while True:
            self.changed.clear()
            pause = await self.look()
            with suppress(TimeoutError):
                async with asyncio.timeout(pause):
                    await self.changed.wait()
            await asyncio.sleep(PACE)

    async def look(self) -> float:
        """Do what is due now; gives the seconds until something else is."""
        pause = LOOK_AT_LEAST
        projects: dict[int, Project | None] = {}
        for name, thread, opened_at in self.tickets.open_since():
            if thread not in projects:
                projects[thread] = self.projects.in_thread(thread)
            project = projects[thread]
            if project is None:
                continue
            now = self.clock()
            found = due(opened_at, project.decisions, now)
            if found.timed_out:
                self.desk.decide(name, Deny(message=NOBODY), None, via="time-out")
            elif found.reminders and (ticket := self.tickets.ticket(name)):
                await self._remind(ticket, project.decide, found.reminders)
            if found.next is not None:
                pause = min(pause, max(found.next - now, 0.0))
        return pause

    async def _remind(self, ticket: Ticket, people: People, number: int) -> None:
        """Show the reminder that is due: one that stands already is not sent again, after a restart either."""
        channel = await self.channels.channel(ticket.conversation)
        now = self.tickets.ticket(ticket.id)
        if channel is not None and now is not None and isinstance(now.state, Open):
            channel.show(REMINDER.of(ticket.id), lambda: [reminder(ticket, people, number)])
