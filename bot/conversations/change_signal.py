"""A signal that something in a conversation has changed; everyone who waits for it checks their condition again."""

import asyncio
from collections.abc import Callable
from contextlib import suppress


class ChangeSignal:
    """Wakes everyone who waits, each time it is sent."""

    def __init__(self) -> None:
        self._event = asyncio.Event()

    def send(self) -> None:
        """Tell everyone who waits that something has changed."""
        self._event.set()
        self._event = asyncio.Event()

    async def wait(self, within: float | None = None) -> None:
        """Wait for the next change, or until the time is up."""
        with suppress(TimeoutError):
            async with asyncio.timeout(within):
                await self._event.wait()

    async def until(self, condition: Callable[[], bool], look_again: Callable[[], float | None] = lambda: None) -> None:
        """Wait until a condition holds; `look_again` says after how many seconds to check it without a signal."""
        while not condition():
            await self.wait(look_again())
