"""Keeps all channels within Discord's rate limits by spreading their requests and delaying edits.

Discord accepts 50 requests a second from a bot over all channels; hikari notices that limit only when refused.

hikari learns a channel's own limit from the first response. Until then all channels share one queue, which then
becomes the queue of the channel that got the first response: of twenty threads started together, the last waited 15 s.
"""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Literal

RATE = 36.0
"""Requests a second over all channels; with `BURST`, still below Discord's 50, to leave some for commands."""
BURST = 8
"""Number of requests that may go out without a pause between them."""
LIMIT_REMEMBERED = 8.0
"""Seconds for which hikari surely remembers a limit: it forgets one ten seconds after its window."""
FIRST_REQUEST_TIMEOUT = 2.0
"""Longest wait in seconds for another channel's first request: one that hangs must not block the others."""
EDIT_INTERVAL = 1.2
"""Seconds between two edits: Discord accepts about five per channel in five seconds, and hikari queues the rest."""

RequestKind = Literal["post", "edit", "type"]


class RateLimits:
    """The rate limits of one bot, shared by everything that sends."""

    def __init__(self) -> None:
        self._last_request: dict[tuple[RequestKind, int], float] = {}
        self._first_request: dict[RequestKind, asyncio.Lock] = {}
        self._next_edit: dict[int, float] = {}
        self._next_request = 0.0

    @asynccontextmanager
    async def request(self, kind: RequestKind, channel: int) -> AsyncIterator[None]:
        """Make a request inside the block; the first of its kind in a channel for a while is made alone."""
        first = self._first_request.setdefault(kind, asyncio.Lock())
        since_last = _now() - self._last_request.get((kind, channel), -LIMIT_REMEMBERED)
        alone = since_last >= LIMIT_REMEMBERED and await _acquire_in_time(first)
        try:
            self._next_request = max(self._next_request, _now() - BURST / RATE) + 1 / RATE
            yield
            self._last_request[kind, channel] = _now()
        finally:
            if alone:
                first.release()

    def pause(self) -> float:
        """Return how many seconds a request that is not urgent should wait."""
        return max(self._next_request - _now(), 0.0)

    def until_edit(self, channel: int) -> float:
        """Return how many seconds the next edit of a text in this channel should wait."""
        return max(self._next_edit.get(channel, 0.0) - _now(), self.pause())

    def count_edit(self, channel: int) -> None:
        """Record an edit, so that the channel's next one waits."""
        self._next_edit[channel] = _now() + EDIT_INTERVAL


def _now() -> float:
    return asyncio.get_running_loop().time()


async def _acquire_in_time(lock: asyncio.Lock) -> bool:
    try:
        async with asyncio.timeout(FIRST_REQUEST_TIMEOUT):
            return await lock.acquire()
    except TimeoutError:
        return False
