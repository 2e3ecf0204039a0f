"""The journal: the file that `claude` writes its stdout to, followed as it grows."""

import asyncio
from collections.abc import AsyncIterator, Callable
from pathlib import Path
from typing import NamedTuple

CHUNK = 1 << 20
QUICK = 0.001
"""Seconds between two looks while it is being written: below what a person can notice."""
SLOW = 0.2
"""Seconds between two looks at a quiet file: a hundred idle conversations cost nothing to speak of."""


class Line(NamedTuple):
    end: int
    """The offset behind the line: where a reader that has taken it goes on."""
    text: bytes


class Journal:
    """One reader of one journal; `wake` tells it that something is about to be written."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._woken = asyncio.Event()

    def wake(self) -> None:
        self._woken.set()

    async def lines(self, offset: int, alive: Callable[[], bool]) -> AsyncIterator[Line]:
        """Yield each line from `offset` on, until its writer is dead and all is read."""
        pause = QUICK
        if not self._path.exists():  # the bot was killed before it had started the process
            return
        with self._path.open("rb", buffering=0) as file:
            file.seek(offset)
            pieces: list[bytes] = []  # of a line whose end is not written yet
            while True:
                was_alive = alive()  # asked before the read: its last words are behind this answer
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
