"""Keeps cards up to date with the files they show, so that nobody decides on an outdated card."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from dataclasses import replace

from bot.decisions.desk import Desk
from bot.permission_requests.file_snapshot import FileSnapshot
from bot.permission_requests.ticket import Open, Ticket
from bot.render.cards.card import card

CHECK_INTERVAL = 3.0
"""Seconds between two checks of an open card's file."""
INTERVAL_PER_CARD = 0.05
"""At least this many seconds for each open card, so that checking two thousand does not keep the bot busy."""

ReadRequestFile = Callable[[Ticket], Awaitable[FileSnapshot]]


async def refresh_file(ticket: Ticket, read_file: ReadRequestFile, desk: Desk) -> Ticket | None:
    """Return a ticket with its file as it is now, with a new version if the card changes; None if it is not open."""
    file = await read_file(ticket)
    if file is ticket.file:
        return ticket
    now = replace(ticket, request=ticket.request.with_file(file))
    same = file == ticket.file or await asyncio.to_thread(lambda: card(now) == card(ticket))
    if same and file.stamp == ticket.file.stamp:
        return ticket
    return desk.update_file(ticket.id, now.request, ticket.changed_at if same else desk.clock())


@asynccontextmanager
async def keep_card_current(
    ticket: Callable[[], Ticket | None], read_file: ReadRequestFile, desk: Desk
) -> AsyncIterator[None]:
    """Check the file of an open card regularly inside the block."""
    async with asyncio.TaskGroup() as tasks:
        watch = tasks.create_task(_watch(ticket, read_file, desk))
        try:
            yield
        finally:
            watch.cancel()


async def _watch(ticket: Callable[[], Ticket | None], read_file: ReadRequestFile, desk: Desk) -> None:
    while (now := ticket()) is not None and isinstance(now.state, Open):
        await refresh_file(now, read_file, desk)
        await asyncio.sleep(max(CHECK_INTERVAL, INTERVAL_PER_CARD * desk.open_count))
