"""Creates files and folders that only their owner can open."""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO


def make_folder(path: Path) -> None:
    """Create a folder and its missing parents, all private: `mkdir` sets the mode of the last one only."""
    for each in reversed([path, *path.parents]):
        if not each.exists():
            each.mkdir(mode=0o700, exist_ok=True)


@contextmanager
def append_to(path: Path) -> Iterator[BinaryIO]:
    """Open a file inside the block, to append to it without a buffer."""
    descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
    with os.fdopen(descriptor, "ab", buffering=0) as file:
        yield file


def replace_file(path: Path, text: str) -> None:
    """Replace a file atomically: a reader sees the old content or the new one."""
    fresh = path.with_suffix(".new")
    descriptor = os.open(fresh, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
    with os.fdopen(descriptor, "w", encoding="utf-8") as file:
        file.write(text)
    fresh.replace(path)
