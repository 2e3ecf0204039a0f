"""Reminders: mention people again while a request waits, less and less often, and never in quiet hours."""

from dataclasses import dataclass
from datetime import datetime, timedelta

from bot.config import ApprovalSettings, People
from bot.messages import Message
from bot.permission_requests.ticket import Ticket

BACKOFF = 3
"""Each reminder waits this many times as long as the one before it."""
LONGEST = 24 * 3600.0
"""But no longer than a day."""
MOST_MENTIONED = 20


@dataclass(frozen=True, slots=True)
class RemindersDue:
    """How many reminders should have been sent by now, and when the next is due."""

    count: int
    next: float | None
    """None if there are no more."""


def reminders_due(opened_at: float, decisions: ApprovalSettings, now: float) -> RemindersDue:
    """Return which reminders are due, counted from when the request came so that no restart loses one."""
    count = 0
    wait, at = decisions.remind_after, opened_at
    while wait:
        at += wait
        moment = _after_quiet_hours(at, decisions)
        if moment > now:
            return RemindersDue(count, moment)
        count += 1
        wait = min(wait * BACKOFF, LONGEST)
    return RemindersDue(count, None)


def _after_quiet_hours(moment: float, decisions: ApprovalSettings) -> float:
    """Return the moment, or the end of the quiet hours if it is within them."""
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
    """Mention all who may decide and the prompt's author; each reminder is a new message that replaces the last."""
    author = ticket.origin.prompted_by
    users = sorted(people.users | ({author} if author is not None else set()))[:MOST_MENTIONED]
    roles = sorted(people.roles)[:MOST_MENTIONED]
    mentions = " ".join([*(f"<@{user}>" for user in users), *(f"<@&{role}>" for role in roles)])
    text = f"⏰ Claude asked <t:{int(ticket.opened_at)}:R> and is still waiting for an answer. {mentions}"
    return Message(f"{number}", text, mentions=tuple(users), mentioned_roles=tuple(roles))
