"""A large request, worked out before its ticket is opened: what its card needs is then at hand."""

import asyncio

from bot.decisions.desk import Asking
from bot.permission_requests.once import LIGHT, weight
from bot.permission_requests.ticket import Ticket
from bot.render.cards.card import card


async def prepared(asking: Asking) -> None:
    """Draw the card of a large request in a thread; what is worked out for it is kept, and others go on meanwhile."""
    ticket = Ticket("", asking.conversation, asking.request, asking.origin, opened_at=0.0, file=asking.file)
    if weight(ticket) > LIGHT:
        await asyncio.to_thread(card, ticket)
