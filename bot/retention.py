"""Removes old journals, old attachments and old rows of the state file."""

import asyncio
import logging
import shutil
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from bot.text.count import count

DAY = 24 * 3600.0

log = logging.getLogger(__name__)


class RetentionStore(Protocol):
    """What retention does in the state file."""

    def forget_before(self, moment: float) -> None: ...
    def runs(self) -> frozenset[str]: ...


@dataclass(frozen=True, slots=True)
class Retention:
    """Removes everything that is older than `days`."""

    store: RetentionStore
    state: Path
    days: float
    """0 keeps everything."""
    clock: Callable[[], float] = time.time

    async def keep(self) -> None:
        """Remove old files now, and then once a day."""
        while self.days:
            try:
                await self.sweep()
            except OSError as error:
                log.warning("Old files could not be removed; trying again tomorrow: %s", error)
            await asyncio.sleep(DAY)

    async def sweep(self) -> None:
        """Remove everything that is too old."""
        moment = self.clock() - self.days * DAY
        self.store.forget_before(moment)
        gone = await asyncio.to_thread(_remove, self.state, self.store.runs(), moment)
        if gone:
            log.info("Removed %s older than %g days.", count(gone, "file or folder", "files and folders"), self.days)


def _remove(state: Path, runs: frozenset[str], moment: float) -> int:
    """Remove old attachments, and old folders of runs that are not in the store; return how many."""
    folders = [path for path in _inside(state / "runs") if path.name not in runs and _last_change(path) < moment]
    files = [path for folder in _inside(state / "attachments") for path in _inside(folder) if _age(path) < moment]
    for path in folders + files:
        if path.is_dir() and not path.is_symlink():
            shutil.rmtree(path, ignore_errors=True)
        else:
            path.unlink(missing_ok=True)
    return len(folders) + len(files)


def _inside(folder: Path) -> list[Path]:
    return sorted(folder.iterdir()) if folder.is_dir() and not folder.is_symlink() else []


def _last_change(folder: Path) -> float:
    return max([_age(folder), *(_age(path) for path in _inside(folder))])


def _age(path: Path) -> float:
    return path.lstat().st_mtime
