"""What the owner has said yes to: which configurations are used, and the settings that each of them stood for.

It lies where no configuration can move it: one that names another `state` must not leave its own past behind.
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
from bot.private_folders import make_folder


class _Confirmation(BaseModel):
    model_config = ConfigDict(frozen=True)

    path: str
    folder: int | None = None
    """The folder that the file was used in: another one may be put in its place."""
    said: str | None = None
    """What was said yes to: another folder in its place can have the number of one that was deleted."""
    settings: dict[str, Any] | None = None


def folder() -> Path:
    """Where it is kept, a file for each configuration."""
    return Path(platformdirs.user_state_dir(APP)) / "confirmed"


def is_used(path: Path) -> bool:
    """Whether the owner has said that this file is their configuration."""
    kept = _kept(path)
    if kept.folder is None or kept.folder != _number(path.parent):
        return False
    said = _said(path)
    return said is None or kept.said == said


def use(path: Path) -> None:
    """Remember that this file is the owner's configuration."""
    _keep(_kept(path).model_copy(update={"folder": _number(path.parent), "said": _said(path)}))


def settings(path: Path) -> Settings | None:
    """Give the settings that were confirmed last; None where there are none yet, or none that can be read any more."""
    raw = _kept(path).settings
    try:
        return None if raw is None else Settings.model_validate(raw)
    except ValidationError:
        return None


def confirm(path: Path, settings: Settings) -> None:
    """Remember these settings as the ones that count for this file."""
    _keep(_kept(path).model_copy(update={"settings": settings.model_dump(mode="json")}))


def _kept(path: Path) -> _Confirmation:
    # As it is written: a link in the file's place is that file still, wherever it leads.
    nothing = _Confirmation(path=os.path.abspath(path))  # noqa: PTH100 - resolve() would follow it
    try:
        kept = _Confirmation.model_validate_json(_file(nothing.path).read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return nothing
    return kept if kept.path == nothing.path else nothing


def _keep(kept: _Confirmation) -> None:
    """Write it whole or not at all, for the owner alone."""
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
            f"What counts of the configuration can't be remembered in {file.parent}: {error.strerror}. "
            "See that the folder is yours, can be written and has room on the disk."
        ) from None


def _said(path: Path) -> str | None:
    """Give what a file has run, who is told the token, and whom it serves; None where it says nothing that counts."""
    try:
        raw = tomllib.loads(path.read_text(encoding="utf-8-sig"))
    except (OSError, ValueError):
        return None
    return repr([raw.get(name) for name in ("claude", "transcriber", "discord_api", "state", "people", "owners")])


def _file(path: str) -> Path:
    return folder() / f"{hashlib.sha256(path.encode(errors='surrogateescape')).hexdigest()[:32]}.json"


def _number(folder: Path) -> int | None:
    try:
        return folder.stat().st_ino
    except OSError:
        return None
