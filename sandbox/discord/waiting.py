"""Waiting for something to be seen, and what a person says who waits in vain."""

import asyncio
from collections.abc import Callable
from typing import TypeVar

from sandbox.discord.world import World

WITHIN = 10.0
T = TypeVar("T")


class PersonCannotError(Exception):
    """A person could not do this: there is no such button, or it is grey, or Discord says no."""


class NotSeenError(AssertionError):
    """What was waited for did not come; the message says what is there instead."""


async def until(world: World, look: Callable[[], T | None], within: float, there: Callable[[], str]) -> T:
    """Look again after every change, until there is something or the time is over."""
    with world.subscribe() as changes:
        try:
            async with asyncio.timeout(within):
                while (found := look()) is None:
                    await anext(changes)
                return found
        except TimeoutError:
            raise NotSeenError(f"Not within {within:g} s. {there()}") from None
