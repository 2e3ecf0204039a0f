"""Finds the configuration for a command: the one from --config, the one in this folder, or the user's own.

A file in this folder may have been written by someone else: it could name any program to run, and any address to send
the token to. It is used only if it belongs to the user, and they have confirmed it once.
"""

import argparse
import os
import stat
import sys
import tomllib
from pathlib import Path
from typing import Any

from bot import config
from bot.cli.output import confirm, one_line
from bot.config import confirmed_configs
from bot.errors import ConfigError

SECRET = ".env"  # noqa: S105 - a file's name


def find_config(arguments: argparse.Namespace) -> Path:
    """Return the path of the configuration; raise ConfigError if the file in this folder must not be used."""
    given: Path | None = arguments.config
    if given is not None:
        return given
    here = _config_in_this_folder()
    if here is None:
        return config.users_file()
    if reason := _reason_to_reject(here):
        raise ConfigError(f"{reason} If it is yours anyway, pass --config {here}")
    if not confirmed_configs.is_used(here):
        _confirm_use(here)
        confirmed_configs.use(here)
    return here


def trusted_config() -> Path | None:
    """Return the path of the configuration if it can be used without asking; for shell completion."""
    here = _config_in_this_folder()
    if here is None:
        return config.users_file()
    return here if confirmed_configs.is_used(here) and not _reason_to_reject(here) else None


def _config_in_this_folder() -> Path | None:
    """Return the file in this folder; None if there is none, or if this is the user's configuration folder."""
    here = Path.cwd() / config.FILE_NAME
    return here if os.path.lexists(here) and not _same_folder(here, config.users_file()) else None


def _same_folder(one: Path, other: Path) -> bool:
    return one.parent.resolve() == other.parent.resolve()


def _reason_to_reject(path: Path) -> str:
    """Say why someone else could have written the file in this folder; empty if only the user could."""
    for file in (path, path.with_name(SECRET)):
        if not os.path.lexists(file):
            continue
        try:
            seen = [file.lstat(), file.stat(), file.parent.stat(), file.resolve().parent.stat()]
        except OSError as error:
            return f"{file} was not used: it can't be read ({error.strerror})."
        if any(each.st_uid != os.geteuid() for each in seen):
            return f"{file} was not used: the file or its folder belongs to someone else."
        if any(stat.S_IMODE(each.st_mode) & 0o022 for each in seen if not stat.S_ISLNK(each.st_mode)):
            return f"{file} was not used: others can write to it or its folder. Run: chmod go-w {file} {file.parent}"
        if _is_tracked(file):
            return f"{file} was not used: it came with a clone, so someone else may have written it."
    return ""


def _is_tracked(file: Path) -> bool:
    """Check the index of git for the file. Running git here could run a program that this folder configures."""
    root = next((each for each in file.parents if os.path.lexists(each / ".git")), None)
    if root is None:
        return False
    git = root / ".git"
    try:
        if git.is_file():  # a worktree, or a submodule
            git = (root / git.read_text(encoding="utf-8").partition("gitdir:")[2].strip()).resolve()
        if any(git.glob("sharedindex.*")):
            return True  # half of the index is in another file
        index = (git / "index").read_bytes()
    except FileNotFoundError:
        return False
    except (OSError, ValueError):
        return True
    if index[:4] != b"DIRC" or int.from_bytes(index[4:8], "big") not in {2, 3}:
        return True  # version 4 compresses names
    return os.fsencode(file.relative_to(root)).lower() + b"\0" in index.lower()


def _confirm_use(path: Path) -> None:
    """Ask whether to use this file; raise ConfigError unless the answer is yes."""
    if not (sys.stdin.isatty() and sys.stderr.isatty()):
        raise ConfigError(
            f"{path} has not been used before. Confirm it at a terminal, or pass --config {path} if it is yours."
        )
    if not confirm(f"{_describe(path)}\nUse it from now on?"):
        raise ConfigError(f"{path} was not used. Pass another one with --config, or change to another folder.")


def _describe(path: Path) -> str:
    """Describe what an unconfirmed configuration would do."""
    try:
        raw: dict[str, Any] = tomllib.loads(path.read_text(encoding="utf-8-sig"))
    except (OSError, ValueError):
        raw = {}
    claude = raw.get("claude")
    command = claude.get("command") if isinstance(claude, dict) else None
    api = raw.get("discord_api") or "https://discord.com"
    said = f"{path} is a configuration that has not been used before. It runs {command or 'claude'} and talks to {api}."
    return one_line(said + (f" It transcribes voice messages with {also}." if (also := raw.get("transcriber")) else ""))
