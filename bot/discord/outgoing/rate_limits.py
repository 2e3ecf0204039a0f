"""Keeps all channels of the bot within Discord's rate limits: spreads their requests, and holds back early edits.

Discord takes 50 requests a second from a bot, over all channels; hikari learns of that limit only by being refused.

hikari learns a channel's own limit from the first answer. Until then all channels stand in one queue, which then
becomes that of the channel that was answered first: of twenty threads that begin at once, the last waited for 15 s.
"""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Literal

RATE = 36.0
"""Requests a second, of all channels together; with `BURST` below Discord's limit, and some left for commands."""
BURST = 8
"""Requests that need not wait for one another."""
KNOWN = 8.0
"""Seconds after which a limit may be forgotten: hikari does so ten seconds after its window has passed."""
PATIENCE = 2.0
"""Seconds to wait for another channel's first request; one that hangs must not hold up all others."""
EDIT_PACE = 1.2
"""Seconds between two edits: Discord takes about five in five seconds a channel, and hikari would queue the rest."""

RequestKind = Literal["post", "edit", "type"]


class RateLimits:
    """The rate limits of one bot, shared by whatever sends."""

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
        """Tell for how many seconds that which can wait should."""
        return max(self._next - _now(), 0.0)

    def until_edit(self, channel: int) -> float:
        """Tell for how many seconds the next edit of a text in this channel should wait."""
        return max(self._next_edit.get(channel, 0.0) - _now(), self.pause())

    def count_edit(self, channel: int) -> None:
        """Have the channel's next edit wait for its time."""
        self._next_edit[channel] = _now() + EDIT_PACE


def _now() -> float:
    return asyncio.get_running_loop().time()


async def _acquired(lock: asyncio.Lock) -> bool:
    try:
        async with asyncio.timeout(PATIENCE):
            return await lock.acquire()
    except TimeoutError:
        return False
