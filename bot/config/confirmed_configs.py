"""Remembers which configurations the owner has confirmed, with their settings.

This is stored where no configuration can move it: changing `state` must not make the bot forget.
"""

import hashlib
import os
import tomllib
from pathlib import Path
from typing import Any

import platformdirs
from pydantic import BaseModel, ConfigDict, ValidationError

from bot.config.settings import APP, Settings
from bot.errors import StateError
from bot.private_files import make_folder


class _Confirmation(BaseModel):
    model_config = ConfigDict(frozen=True)

    path: str
    folder: int | None = None
    """Inode of the file's folder: another folder may replace it."""
    said: str | None = None
    """The settings that were confirmed: a new folder can get the inode of a deleted one."""
    settings: dict[str, Any] | None = None


def folder() -> Path:
    """Return the folder with a file for each configuration."""
    return Path(platformdirs.user_state_dir(APP)) / "confirmed"


def is_used(path: Path) -> bool:
    """Check whether the owner has confirmed that this file is their configuration."""
    kept = _load(path)
    if kept.folder is None or kept.folder != _inode(path.parent):
        return False
    said = _critical_settings(path)
    return said is None or kept.said == said


def use(path: Path) -> None:
    """Remember that this file is the owner's configuration."""
    _save(_load(path).model_copy(update={"folder": _inode(path.parent), "said": _critical_settings(path)}))


def settings(path: Path) -> Settings | None:
    """Return the last confirmed settings; None if there are none or they can't be read any more."""
    raw = _load(path).settings
    try:
        return None if raw is None else Settings.model_validate(raw)
    except ValidationError:
        return None


def confirm(path: Path, settings: Settings) -> None:
    """Remember these as the confirmed settings of this file."""
    _save(_load(path).model_copy(update={"settings": settings.model_dump(mode="json")}))


def _load(path: Path) -> _Confirmation:
    # Don't follow links: a link that replaces the file still counts as the same configuration.
    nothing = _Confirmation(path=os.path.abspath(path))  # noqa: PTH100 - resolve() follows links
    try:
        kept = _Confirmation.model_validate_json(_file(nothing.path).read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return nothing
    return kept if kept.path == nothing.path else nothing


def _save(kept: _Confirmation) -> None:
    """Write the record atomically, readable only by the owner."""
    file = _file(kept.path)
    fresh = file.with_suffix(".new")
    try:
        make_folder(file.parent)
        descriptor = os.open(fresh, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_NOFOLLOW, 0o600)
        with os.fdopen(descriptor, "w", encoding="utf-8") as stream:
            stream.write(kept.model_dump_json())
        fresh.replace(file)
    except OSError as error:
        raise StateError(
            f"The confirmed configuration can't be saved in {file.parent}: {error.strerror}. "
            "Check that the folder is yours, that it can be written, and that the disk is not full."
        ) from None


def _critical_settings(path: Path) -> str | None:
    """Return the settings that decide what is run, who gets the token and who may use the bot; None if unreadable."""
    try:
        raw = tomllib.loads(path.read_text(encoding="utf-8-sig"))
    except (OSError, ValueError):
        return None
    return repr([raw.get(name) for name in ("claude", "transcriber", "discord_api", "state", "people", "owners")])


def _file(path: str) -> Path:
    return folder() / f"{hashlib.sha256(path.encode(errors='surrogateescape')).hexdigest()[:32]}.json"


def _inode(folder: Path) -> int | None:
    try:
        return folder.stat().st_ino
    except OSError:
        return None
