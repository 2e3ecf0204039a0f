"""Which configuration a command means: the one that is named, the one in this folder, or the user's.

One that only happens to lie in this folder may be somebody else's: it could name any program, and any address for the
token. It is used when it is the owner's own, and they have said so once.
"""

import argparse
import os
import stat
import sys
import tomllib
from pathlib import Path
from typing import Any

from bot import config
from bot.cli.output import confirm, line
from bot.config import confirmed_configs
from bot.errors import ConfigError

SECRET = ".env"  # noqa: S105 - a file's name


def named(arguments: argparse.Namespace) -> Path:
    """Give the configuration that a command is to use; raises ConfigError where that must not be the one here."""
    given: Path | None = arguments.config
    if given is not None:
        return given
    here = _here()
    if here is None:
        return config.users_file()
    if reason := _objection(here):
        raise ConfigError(f"{reason} If it is yours all the same, name it: --config {here}")
    if not confirmed_configs.is_used(here):
        _ask(here)
        confirmed_configs.use(here)
    return here


def known() -> Path | None:
    """Give the configuration if it can be used without asking anybody; for completion, which only looks."""
    here = _here()
    if here is None:
        return config.users_file()
    return here if confirmed_configs.is_used(here) and not _objection(here) else None


def _here() -> Path | None:
    """Find the file in this folder; None where there is none, or the folder is the user's own for it."""
    here = Path.cwd() / config.FILE_NAME
    return here if os.path.lexists(here) and not _same_folder(here, config.users_file()) else None


def _same_folder(one: Path, other: Path) -> bool:
    return one.parent.resolve() == other.parent.resolve()


def _objection(path: Path) -> str:
    """Say why a file that lies in this folder can't be the owner's alone; empty when it can."""
    for file in (path, path.with_name(SECRET)):
        if not os.path.lexists(file):
            continue
        try:
            seen = [file.lstat(), file.stat(), file.parent.stat(), file.resolve().parent.stat()]
        except OSError as error:
            return f"{file} is not used: it can't be looked at ({error.strerror})."
        if any(each.st_uid != os.geteuid() for each in seen):
            return f"{file} is not used: it, or its folder, belongs to somebody else."
        if any(stat.S_IMODE(each.st_mode) & 0o022 for each in seen if not stat.S_ISLNK(each.st_mode)):
            return (
                f"{file} is not used: others can write it, or its folder. chmod go-w {file} {file.parent} cures that."
            )
        if _is_tracked(file):
            return f"{file} is not used: it came with a clone, so somebody else may have written it."
    return ""


def _is_tracked(file: Path) -> bool:
    """Whether git has the file, by its own list: running git here could run what is configured here."""
    root = next((each for each in file.parents if os.path.lexists(each / ".git")), None)
    if root is None:
        return False
    git = root / ".git"
    try:
        if git.is_file():  # a worktree, or a submodule
            git = (root / git.read_text(encoding="utf-8").partition("gitdir:")[2].strip()).resolve()
        if any(git.glob("sharedindex.*")):
            return True  # half of the list lies elsewhere
        index = (git / "index").read_bytes()
    except FileNotFoundError:
        return False
    except (OSError, ValueError):
        return True
    if index[:4] != b"DIRC" or int.from_bytes(index[4:8], "big") not in {2, 3}:
        return True  # the fourth version writes names in pieces
    return os.fsencode(file.relative_to(root)).lower() + b"\0" in index.lower()


def _ask(path: Path) -> None:
    """Ask whether this is the owner's; raises ConfigError without a yes."""
    if not (sys.stdin.isatty() and sys.stderr.isatty()):
        raise ConfigError(
            f"{path} has not been used before, and there is nobody to ask. If it is yours, name it: --config {path}"
        )
    if not confirm(f"{_means(path)}\nUse it from now on?"):
        raise ConfigError(f"{path} was not used. Name another with --config, or go to another folder.")


def _means(path: Path) -> str:
    """Say what a file that nobody has agreed to yet would do."""
    try:
        raw: dict[str, Any] = tomllib.loads(path.read_text(encoding="utf-8-sig"))
    except (OSError, ValueError):
        raw = {}
    claude = raw.get("claude")
    command = claude.get("command") if isinstance(claude, dict) else None
    api = raw.get("discord_api") or "https://discord.com"
    said = f"{path} is a configuration that was not used before. It runs {command or 'claude'} and talks to {api}."
    return line(said + (f" It writes voice messages down with {also}." if (also := raw.get("transcriber")) else ""))
