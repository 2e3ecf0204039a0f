"""The card of a large request is drawn in a thread: nobody else waits for it."""

import asyncio
import marshal

from bot.permission_requests.ticket import Ticket
from bot.render.cards.card import card

LARGE = 20_000
"""Bytes of a request and its file from which on drawing the card takes long enough to be noticed."""


async def draw_if_large(ticket: Ticket) -> None:
    """Draw the card of a large request now; it is kept with the ticket."""
    request = ticket.request
    if len(marshal.dumps(request.input, 2)) + len(request.file.text or "") > LARGE:
        await asyncio.to_thread(card, ticket)
