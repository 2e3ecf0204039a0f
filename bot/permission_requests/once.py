"""Work out something about a request or a ticket once, and keep it with that value."""

from collections.abc import Callable
from typing import TypeVar

T = TypeVar("T")
Found = TypeVar("Found")


def once(work: Callable[[T], Found]) -> Callable[[T], Found]:
    """Like `functools.cached_property`, for a function that belongs elsewhere: `dataclasses.replace` starts anew."""
    name = f"{work.__module__}.{work.__qualname__}"

    def kept(value: T) -> Found:
        known = vars(value)
        if name not in known:
            known[name] = work(value)
        found: Found = known[name]
        return found

    return kept
