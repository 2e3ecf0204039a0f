"""Folders that are their owner's only, every one that has to be made on the way."""

from pathlib import Path


def make_folder(path: Path) -> None:
    """Make a folder with its parents: `mkdir` gives the mode to the last one alone."""
    for each in reversed([path, *path.parents]):
        if not each.exists():
            each.mkdir(mode=0o700, exist_ok=True)
