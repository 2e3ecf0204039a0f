"""Writes the configuration and the `.env` file next to it."""

import json
import os
import re
from dataclasses import dataclass
from pathlib import Path

from bot.config import TOKEN_VARIABLE
from bot.errors import ConfigError

TOKEN_LINE = re.compile(rf"^\s*(?:export\s+)?{TOKEN_VARIABLE}\s*=.*$", re.MULTILINE)
BARE_KEY = re.compile(r"[A-Za-z0-9_-]+")


@dataclass(frozen=True, slots=True)
class FirstConfig:
    """The values in a first configuration."""

    user: int
    user_name: str
    channel: int
    channel_name: str
    folder: Path
    project: str
    api: str | None = None


def configuration(first: FirstConfig) -> str:
    """Return the text of a configuration with one person, one project and one channel."""
    key = first.project if BARE_KEY.fullmatch(first.project) else _toml_string(first.project)
    api = f"discord_api = {_toml_string(first.api)}\n\n" if first.api else ""
    return f"""\
# Written by `claude-discord init`. Every other setting is explained in claude-discord.example.toml.
{api}
[people]                # who may talk to Claude and decide, in every project
users = [{first.user}]{_comment(first.user_name)}

[projects.{key}]
folder = {_toml_string(str(first.folder))}
channels = [{first.channel}]{_comment(first.channel_name)}
"""


def secret(token: str, before: str) -> str:
    """Return the text of `.env` with the token set and its other lines unchanged."""
    line = f"{TOKEN_VARIABLE}={token}"
    if TOKEN_LINE.search(before):
        return TOKEN_LINE.sub(lambda _: line, before)
    return before + ("\n" if before and not before.endswith("\n") else "") + line + "\n"


def write_private(path: Path, text: str) -> None:
    """Write a file atomically, readable only by its owner."""
    fresh = path.with_name(f".{path.name}.new")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        descriptor = os.open(fresh, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
        with os.fdopen(descriptor, "w", encoding="utf-8") as file:
            os.fchmod(descriptor, 0o600)
            file.write(text)
        fresh.replace(path)
    except OSError as error:
        raise ConfigError(f"{path} can't be written: {error.strerror}. Choose another path with --config.") from None


def _toml_string(value: str) -> str:
    return json.dumps(value, ensure_ascii=False).replace(
        "\x7f", "\\u007f"
    )  # a JSON string is a TOML string, except for DEL


def _comment(name: str) -> str:
    shown = " ".join("".join(char if char.isprintable() else " " for char in name).split())
    return f"  # {shown}" if shown else ""
