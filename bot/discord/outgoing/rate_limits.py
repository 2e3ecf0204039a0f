"""Keeps all channels within Discord's rate limits: spreads their requests and delays edits that come too early.

Discord accepts 50 requests a second from a bot over all channels; hikari notices that limit only when refused.

hikari learns a channel's own limit from the first response. Until then all channels share one queue, which then
becomes that of the channel that was answered first: of twenty threads that start at once, the last waited 15 s.
"""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Literal

RATE = 36.0
"""Requests a second over all channels; with `BURST` this is below Discord's limit and leaves some for commands."""
BURST = 8
"""Requests that don't wait for one another."""
KNOWN = 8.0
"""Seconds until hikari may forget a limit: it does so ten seconds after the limit's window."""
PATIENCE = 2.0
"""Seconds to wait for another channel's first request; one that hangs must not block all others."""
EDIT_PACE = 1.2
"""Seconds between two edits: Discord accepts about five in five seconds per channel, and hikari queues the rest."""

RequestKind = Literal["post", "edit", "type"]


class RateLimits:
    """The rate limits of one bot, shared by everything that sends."""

    def __init__(self) -> None:
        self._used: dict[tuple[RequestKind, int], float] = {}
        self._first: dict[RequestKind, asyncio.Lock] = {}
        self._next_edit: dict[int, float] = {}
        self._next = 0.0

    @asynccontextmanager
    async def request(self, kind: RequestKind, channel: int) -> AsyncIterator[None]:
        """Make a request inside the block, alone if it is the first of its kind in this channel for a while."""
        first = self._first.setdefault(kind, asyncio.Lock())
        alone = _now() - self._used.get((kind, channel), -KNOWN) >= KNOWN and await _acquired(first)
        try:
            self._next = max(self._next, _now() - BURST / RATE) + 1 / RATE
            yield
            self._used[kind, channel] = _now()
        finally:
            if alone:
                first.release()

    def pause(self) -> float:
        """Give the seconds that a request should wait if it can."""
        return max(self._next - _now(), 0.0)

    def until_edit(self, channel: int) -> float:
        """Give the seconds that the next edit of a text in this channel should wait."""
        return max(self._next_edit.get(channel, 0.0) - _now(), self.pause())

    def count_edit(self, channel: int) -> None:
        """Count an edit, so that the channel's next one waits."""
        self._next_edit[channel] = _now() + EDIT_PACE


def _now() -> float:
    return asyncio.get_running_loop().time()


async def _acquired(lock: asyncio.Lock) -> bool:
    try:
        async with asyncio.timeout(PATIENCE):
            return await lock.acquire()
    except TimeoutError:
        return False
