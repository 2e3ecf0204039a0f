"""A decorator that stores the result of a function on its argument, a request or a ticket."""

from collections.abc import Callable
from typing import TypeVar

T = TypeVar("T")
Found = TypeVar("Found")


def cached(work: Callable[[T], Found]) -> Callable[[T], Found]:
    """Like `functools.cached_property`, for a function in another module. `dataclasses.replace` drops the result."""
    name = f"{work.__module__}.{work.__qualname__}"

    def with_result(value: T) -> Found:
        known = vars(value)
        if name not in known:
            known[name] = work(value)
        found: Found = known[name]
        return found

    return with_result
