"""A cache for the masked versions of texts, because a message is sent again with every edit."""

from collections import OrderedDict
from collections.abc import Callable
from threading import Lock
from typing import Generic, TypeVar

MAX_SIZE = 4_000_000
"""Characters of all texts in one cache."""

Made = TypeVar("Made")


class Cache(Generic[Made]):
    """Caches the results of a function for the latest texts, limited by their total length."""

    def __init__(self, make: Callable[[str], Made], max_size: int = MAX_SIZE) -> None:
        self._make = make
        self._max_size = max_size
        self._lock = Lock()  # files are masked in threads
        self._results: OrderedDict[str, Made] = OrderedDict()
        self.size = 0
        """Characters of all texts that are in the cache now."""

    def __call__(self, text: str) -> Made:
        with self._lock:
            if text in self._results:
                self._results.move_to_end(text)
                return self._results[text]
        made = self._make(text)
        if len(text) <= self._max_size // 4:
            self._store(text, made)
        return made

    def _store(self, text: str, made: Made) -> None:
        with self._lock:
            if text not in self._results:
                self._results[text] = made
                self.size += len(text)
            while self.size > self._max_size:
                oldest, _ = self._results.popitem(last=False)
                self.size -= len(oldest)
