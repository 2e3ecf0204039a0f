"""All channels' requests to Discord on their way: spread in time, and the first in a channel alone.

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

Kind = Literal["post", "edit", "type"]


class Traffic:
    """Shared by all channels of a connection."""

    def __init__(self) -> None:
        self._used: dict[tuple[Kind, int], float] = {}
        self._turn: dict[Kind, asyncio.Lock] = {}
        self._next = 0.0

    @asynccontextmanager
    async def of(self, kind: Kind, channel: int) -> AsyncIterator[None]:
        """Make a request inside the block, alone if it is the first of its kind in this channel for a while."""
        clock = asyncio.get_running_loop().time
        turn = self._turn.setdefault(kind, asyncio.Lock())
        alone = clock() - self._used.get((kind, channel), -KNOWN) >= KNOWN and await _taken(turn)
        try:
            self._next = max(self._next, clock() - BURST / RATE) + 1 / RATE
            yield
            self._used[kind, channel] = clock()
        finally:
            if alone:
                turn.release()

    def pause(self) -> float:
        """Tell for how many seconds that which can wait should."""
        return max(self._next - asyncio.get_running_loop().time(), 0.0)


async def _taken(turn: asyncio.Lock) -> bool:
    try:
        async with asyncio.timeout(PATIENCE):
            return await turn.acquire()
    except TimeoutError:
        return False
