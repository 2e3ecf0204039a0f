"""Wait until a person sees something, or fail with what they see instead."""

import asyncio
from collections.abc import Callable
from typing import TypeVar

from sandbox.discord.state.world import World

WITHIN = 10.0
T = TypeVar("T")


class NotSeenError(AssertionError):
    """It did not appear in time; the message lists what is there instead."""


async def until(world: World, look: Callable[[], T | None], within: float, there: Callable[[], str]) -> T:
    """Look again after every change, until `look` finds something or the time is up."""
    with world.subscribe() as changes:
        try:
            async with asyncio.timeout(within):
                while (found := look()) is None:
                    await anext(changes)
                return found
        except TimeoutError:
            raise NotSeenError(f"Not within {within:g} s. {there()}") from None
