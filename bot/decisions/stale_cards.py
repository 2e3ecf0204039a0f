"""A card is true when it is pressed: its file is looked at again, and a card that has become another asks anew."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from dataclasses import replace

from bot.decisions.desk import Desk
from bot.permission_requests.ticket import Open, Seen, Ticket
from bot.render.cards.card import card

GLANCE = 3.0
"""Seconds between two looks at the file of a card that stands."""
SHARE = 0.05
"""But so many for each card that is open anywhere: two thousand must not keep the bot busy with looking."""

Look = Callable[[Ticket], Awaitable[Seen]]


async def look_again(ticket: Ticket, look: Look, desk: Desk) -> bool:
    """Whether a card still says what would happen; if not, it is drawn anew, and nobody has pressed that one yet."""
    seen = await look(ticket)
    if seen is ticket.file:
        return True
    seen = replace(seen, changed_at=ticket.file.changed_at)
    now = replace(ticket, file=seen)
    same = seen == ticket.file or await asyncio.to_thread(lambda: card(now) == card(ticket))
    if not same:
        seen = replace(seen, changed_at=desk.clock())
    if not same or seen.stamp != ticket.file.stamp:
        desk.refile(ticket.id, seen)
    return same


@asynccontextmanager
async def kept_true(ticket: Callable[[], Ticket | None], look: Look, desk: Desk) -> AsyncIterator[None]:
    """Keep a card true while it stands: inside the block."""
    async with asyncio.TaskGroup() as tasks:
        watch = tasks.create_task(_watch(ticket, look, desk))
        try:
            yield
        finally:
            watch.cancel()


async def _watch(ticket: Callable[[], Ticket | None], look: Look, desk: Desk) -> None:
    while (now := ticket()) is not None and isinstance(now.state, Open):
        await look_again(now, look, desk)
        await asyncio.sleep(max(GLANCE, SHARE * desk.load))
