"""Follows a journal: the file that `claude` writes its stdout to."""

import asyncio
from collections.abc import AsyncIterator, Callable
from pathlib import Path
from typing import NamedTuple

CHUNK = 1 << 20
QUICK = 0.001
"""Seconds between two reads while Claude writes; too short for people to notice."""
SLOW = 0.2
"""Seconds between two reads of a quiet file; a hundred idle conversations cost almost nothing."""


class Line(NamedTuple):
    end: int
    """The offset after the line, where reading continues."""
    text: bytes


class Journal:
    """Reads one journal; `wake` tells it that new lines are coming."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._woken = asyncio.Event()

    def wake(self) -> None:
        self._woken.set()

    async def lines(self, offset: int, alive: Callable[[], bool]) -> AsyncIterator[Line]:
        """Yield each line from `offset` on, until the process has ended and everything is read."""
        pause = QUICK
        if not self._path.exists():  # the bot was killed before it started the process
            return
        with self._path.open("rb", buffering=0) as file:
            file.seek(offset)
            pieces: list[bytes] = []  # of a line that is not complete yet
            while True:
                was_alive = alive()  # check before reading, so that its last lines are not missed
                data = file.read(CHUNK)
                if data:
                    pause = QUICK
                    *whole, rest = data.split(b"\n")
                    for text in whole:
                        line = b"".join((*pieces, text))
                        pieces.clear()
                        offset += len(line) + 1
                        yield Line(offset, line)
                    if rest:
                        pieces.append(rest)
                elif not was_alive:
                    break
                else:
                    pause = await self._rest(pause)
            if pieces:
                line = b"".join(pieces)
                yield Line(offset + len(line), line)

    async def _rest(self, pause: float) -> float:
        try:
            async with asyncio.timeout(pause):
                await self._woken.wait()
        except TimeoutError:
            return min(pause * 1.25, SLOW)
        self._woken.clear()
        return QUICK
