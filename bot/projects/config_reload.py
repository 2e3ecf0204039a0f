"""Reloads the configuration file when it changes: a change applies immediately, waits for an owner, or is refused."""

import asyncio
import logging
import os
import time
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from pathlib import Path

from bot import config
from bot.audit_log import Entry, Source
from bot.config import ConfigDifference
from bot.errors import ConfigError, NotDone, StateError
from bot.projects.config_diff_text import format_masked
from bot.projects.projects import PendingConfig, Projects, ReloadResult
from bot.text.count import count

PACE = 2.0
"""Seconds between two checks of the file."""
CHANGED_SINCE = "Nothing was changed: the file has changed since this was shown, or already applies."

log = logging.getLogger(__name__)


@dataclass(slots=True)
class ConfigReload:
    """Watches the file while the bot runs."""

    path: Path
    projects: Projects
    settings_changed: Callable[[], Awaitable[None]]
    """Lets every conversation read its settings again."""
    record: Callable[[Entry], None]
    turned_down: str = ""
    """The name of the change that an owner rejected."""
    changed: asyncio.Event = field(default_factory=asyncio.Event)
    """Set when the card about the change has to be drawn again."""
    _seen: tuple[int, ...] | None = None

    @property
    def pending(self) -> PendingConfig | None:
        return self.projects.pending

    async def watch(self) -> None:
        """Check the file again and again, until cancelled."""
        while True:
            await self.look()
            await asyncio.sleep(PACE)

    async def look(self) -> None:
        """Read the file if it has changed: apply it, let it wait for an owner, or log why it is refused."""
        stamp = _stamp(self.path)
        if stamp == self._seen:
            return
        self._seen = stamp
        try:
            file = config.load(self.path)
            taken = self.projects.read(file)
        except ConfigError as error:
            self.projects.refuse(str(error))
            log.warning("The configuration has changed but can't be used, so the previous one still applies. %s", error)
        else:
            await self._settled(file, taken)
        self.changed.set()

    async def take_over(self, name: str, by: int | None, source: Source) -> PendingConfig:
        """Apply the change of this name for an owner; raises NotDone if the file no longer has it."""
        pending = await self._meant(name)
        try:
            taken = self.projects.take_over(pending.file)
        except ConfigError as error:
            raise NotDone(str(error)) from None
        for difference in pending.differences:
            self.record(_entry(difference, by, source))
        await self._settled(pending.file, taken)
        self.changed.set()
        return pending

    async def turn_down(self, name: str) -> PendingConfig:
        """Reject the change of this name for an owner, who has to correct the file."""
        pending = await self._meant(name)
        self.turned_down = name
        self.changed.set()
        return pending

    async def _meant(self, name: str) -> PendingConfig:
        await self.look()
        if self.pending is None or self.pending.name != name:
            raise NotDone(CHANGED_SINCE)
        return self.pending

    async def _settled(self, file: config.Settings, taken: ReloadResult) -> None:
        if self.pending is not None:
            said = "; ".join(format_masked(difference) for difference in self.pending.differences if difference.loosens)
            log.warning("A configuration change waits for an owner and does not apply yet: %s.", said)
            return
        try:
            config.confirmed_configs.confirm(self.path, file)
        except StateError as error:  # it applies, but the next start will ask again
            log.warning("%s", error)
        if taken.changed:
            projects = len(self.projects.settings.projects)
            log.info("The configuration was reloaded: %s.", count(projects, "project"))
        if taken.late:
            log.warning("These settings apply after a restart: %s.", ", ".join(taken.late))
        await self.settings_changed()


def _entry(difference: ConfigDifference, by: int | None, source: Source) -> Entry:
    setting = difference.name.removeprefix(f"projects.{difference.project}.")
    return Entry(
        time.time(),
        difference.project,
        0,
        setting,
        "changed",
        source,
        by,
        note=f"{format_masked(difference)} (in the file)",
    )


def _stamp(path: Path) -> tuple[int, ...]:
    """Identify the file's current state; an editor may replace the file under the same name."""
    try:
        found = os.stat(path)  # noqa: PTH116 - the numbers, not a path's questions
    except OSError:
        return ()
    return found.st_mtime_ns, found.st_size, found.st_ino
