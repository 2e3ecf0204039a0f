"""What is worked out of a request is worked out once: its card is drawn many times."""

import marshal
import threading
from collections import OrderedDict
from collections.abc import Callable
from typing import Concatenate, ParamSpec, TypeVar

from bot.permission_requests.ticket import Ticket

ROOM = 64_000_000
"""Bytes of requests, and of the files they are about, of which one kind of work is kept."""
LIGHT = 20_000
"""A request of fewer bytes is worked on where it comes; one of more in a thread, before anybody waits for it."""

P = ParamSpec("P")
T = TypeVar("T")
Work = Callable[Concatenate[Ticket, P], T]


def once(work: Work[P, T]) -> Work[P, T]:
    """Keep what comes of a ticket's request and its file, whatever becomes of the ticket; the oldest goes first."""
    kept: OrderedDict[str, tuple[Ticket, int, T]] = OrderedDict()
    lock = threading.Lock()

    def remembered(ticket: Ticket, /, *more: P.args, **named: P.kwargs) -> T:
        key = ticket.request.tool_use_id
        known = kept.get(key)
        if known is not None and _asks_the_same(known[0], ticket):
            return known[2]
        found = work(ticket, *more, **named)
        with lock:
            kept.pop(key, None)
            kept[key] = ticket, weight(ticket), found
            while sum(each for _, each, _ in kept.values()) > ROOM:
                kept.popitem(last=False)
        return found

    return remembered


def weight(ticket: Ticket) -> int:
    """Count the bytes of a request and of its file, more or less."""
    return len(_exactly(ticket)) + len(ticket.file.text or "")


def _asks_the_same(one: Ticket, other: Ticket) -> bool:
    if (one.file, one.origin.folder) != (other.file, other.origin.folder):
        return False
    return one.request is other.request or _exactly(one) == _exactly(other)


def _exactly(ticket: Ticket) -> bytes:
    """Give a request as bytes: to Python, 1, 1.0 and True are the same, and the order of fields is nothing."""
    return marshal.dumps([ticket.request.tool_name, ticket.request.input], 2)
