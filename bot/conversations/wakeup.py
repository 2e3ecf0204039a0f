"""Wakes everyone who waits for something in a conversation to change."""

import asyncio
from collections.abc import Callable
from contextlib import suppress


class Wakeup:
    """Conditions that are looked at again after each `send`."""

    def __init__(self) -> None:
        self._event = asyncio.Event()

    def send(self) -> None:
        """Tell everyone that something has changed."""
        self._event.set()
        self._event = asyncio.Event()

    async def wait(self, within: float | None = None) -> None:
        """Wait for the next change, or until the time is up."""
        with suppress(TimeoutError):
            async with asyncio.timeout(within):
                await self._event.wait()

    async def until(self, condition: Callable[[], bool], look_again: Callable[[], float | None] = lambda: None) -> None:
        """Wait until a condition holds; `look_again` says after how many seconds it may hold without a change."""
        while not condition():
            await self.wait(look_again())
