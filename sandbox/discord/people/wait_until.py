"""Waits until a person sees something, or fails with a list of what they see instead."""

import asyncio
from collections.abc import Callable
from typing import TypeVar

from sandbox.discord.state.world import World

WITHIN = 10.0
T = TypeVar("T")


class NotSeenError(AssertionError):
    """Nothing matching appeared in time; the message lists what is there instead."""


async def until(world: World, look: Callable[[], T | None], within: float, there: Callable[[], str]) -> T:
    """Call `look` after every change until it finds something; raise `NotSeenError` when the time is up."""
    with world.subscribe() as changes:
        try:
            async with asyncio.timeout(within):
                while (found := look()) is None:
                    await anext(changes)
                return found
        except TimeoutError:
            raise NotSeenError(f"Not within {within:g} s. {there()}") from None
