"""A card is true when it is pressed: its file is looked at again, and a card that has become another asks anew."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from dataclasses import replace

from bot.decisions.desk import Desk
from bot.permission_requests.file_snapshot import FileSnapshot
from bot.permission_requests.ticket import Open, Ticket
from bot.render.cards.card import card

GLANCE = 3.0
"""Seconds between two looks at the file of a card that stands."""
SHARE = 0.05
"""But so many for each card that is open anywhere: two thousand must not keep the bot busy with looking."""

Look = Callable[[Ticket], Awaitable[FileSnapshot]]


async def look_again(ticket: Ticket, look: Look, desk: Desk) -> Ticket | None:
    """Give a ticket with its file as it is now; where the card changes, its version does. None: it is settled."""
    file = await look(ticket)
    if file is ticket.file:
        return ticket
    now = replace(ticket, request=replace(ticket.request, file=file))
    same = file == ticket.file or await asyncio.to_thread(lambda: card(now) == card(ticket))
    if same and file.stamp == ticket.file.stamp:
        return ticket
    return desk.refile(ticket.id, now.request, ticket.changed_at if same else desk.clock())


@asynccontextmanager
async def keep_card_current(ticket: Callable[[], Ticket | None], look: Look, desk: Desk) -> AsyncIterator[None]:
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
