"""Draws the card of a large request in a thread of its own, so that the bot stays responsive."""

import asyncio
import marshal

from bot.permission_requests.ticket import Ticket
from bot.render.cards.card import card

LARGE = 20_000
"""Bytes of a request and its file above which drawing the card takes noticeably long."""


async def draw_if_large(ticket: Ticket) -> None:
    """Draw the card of a large request now; the ticket keeps it."""
    request = ticket.request
    if len(marshal.dumps(request.input, 2)) + len(request.file.text or "") > LARGE:
        await asyncio.to_thread(card, ticket)
