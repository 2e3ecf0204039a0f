"""Shows the typing indicator in a thread."""

import asyncio
from contextlib import suppress

import hikari

from bot.discord.outgoing.rate_limits import RateLimits

INTERVAL = 8.0  # Discord shows the indicator for ten seconds


class TypingIndicator:
    """The typing indicator of one thread, which can be switched on and off."""

    def __init__(self, rest: hikari.api.RESTClient, channel: int, limits: RateLimits) -> None:
        self._rest = rest
        self._channel = channel
        self._limits = limits
        self._on = asyncio.Event()

    def switch(self, *, on: bool) -> None:
        if on:
            self._on.set()
        else:
            self._on.clear()

    async def run(self) -> None:
        """Renew the indicator while it is switched on, until cancelled."""
        while True:
            await self._on.wait()
            await asyncio.sleep(self._limits.pause())
            with suppress(hikari.HikariError, OSError):
                async with self._limits.request("type", self._channel):
                    await self._rest.trigger_typing(self._channel)
            await asyncio.sleep(INTERVAL)
