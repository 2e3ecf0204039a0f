"""Creates folders that only their owner can open."""

from pathlib import Path


def make_folder(path: Path) -> None:
    """Create a folder and its missing parents, all private: `mkdir` sets the mode of the last one only."""
    for each in reversed([path, *path.parents]):
        if not each.exists():
            each.mkdir(mode=0o700, exist_ok=True)
