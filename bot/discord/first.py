"""The first request of its kind in a channel goes alone.

hikari learns a channel's rate limit from the first answer. Until then all channels stand in one queue, which then
becomes that of the channel that was answered first: of twenty threads that begin at once, the last waited for 15 s.
"""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Literal

KNOWN = 8.0
"""Seconds after which a limit may be forgotten: hikari does so ten seconds after its window has passed."""
PATIENCE = 2.0
"""Seconds to wait for another channel's first request; one that hangs must not hold up all others."""

Kind = Literal["post", "edit", "type"]


class First:
    """Shared by all channels of a connection."""

    def __init__(self) -> None:
        self._used: dict[tuple[Kind, int], float] = {}
        self._turn: dict[Kind, asyncio.Lock] = {}

    @asynccontextmanager
    async def of(self, kind: Kind, channel: int) -> AsyncIterator[None]:
        """Make a request inside the block: alone, if it is the first of its kind in this channel for a while."""
        clock = asyncio.get_running_loop().time
        turn = self._turn.setdefault(kind, asyncio.Lock())
        alone = clock() - self._used.get((kind, channel), -KNOWN) >= KNOWN and await _taken(turn)
        try:
            yield
            self._used[kind, channel] = clock()
        finally:
            if alone:
                turn.release()


async def _taken(turn: asyncio.Lock) -> bool:
    try:
        async with asyncio.timeout(PATIENCE):
            return await turn.acquire()
    except TimeoutError:
        return False
