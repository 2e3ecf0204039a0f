"""A signal that something in a conversation has changed; every waiting task then checks its condition again."""

import asyncio
from collections.abc import Callable
from contextlib import suppress


class ChangeSignal:
    """Wakes every waiting task each time it is sent."""

    def __init__(self) -> None:
        self._event = asyncio.Event()

    def send(self) -> None:
        self._event.set()
        self._event = asyncio.Event()

    async def wait(self, within: float | None = None) -> None:
        """Wait for the next change, or until the time is up."""
        with suppress(TimeoutError):
            async with asyncio.timeout(within):
                await self._event.wait()

    async def until(self, condition: Callable[[], bool], longest: Callable[[], float | None] = lambda: None) -> None:
        """Wait until a condition holds; `longest` returns after how many seconds to check it even without a signal."""
        while not condition():
            await self.wait(longest())
