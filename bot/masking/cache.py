"""A cache for what was made of a text: a message is sent again with every edit."""

from collections import OrderedDict
from collections.abc import Callable
from threading import Lock
from typing import Generic, TypeVar

ROOM = 4_000_000
"""Characters in all the texts of one cache."""

Made = TypeVar("Made")


class Cache(Generic[Made]):
    """The results of a function for the latest texts, bounded by their length and not by their number."""

    def __init__(self, make: Callable[[str], Made], room: int = ROOM) -> None:
        self._make = make
        self._room = room
        self._lock = Lock()  # files are masked in threads
        self._made: OrderedDict[str, Made] = OrderedDict()
        self.size = 0
        """Characters of the texts in it now."""

    def __call__(self, text: str) -> Made:
        with self._lock:
            if text in self._made:
                self._made.move_to_end(text)
                return self._made[text]
        made = self._make(text)
        if len(text) <= self._room // 4:
            self._keep(text, made)
        return made

    def _keep(self, text: str, made: Made) -> None:
        with self._lock:
            if text not in self._made:
                self._made[text] = made
                self.size += len(text)
            while self.size > self._room:
                oldest, _ = self._made.popitem(last=False)
                self.size -= len(oldest)
