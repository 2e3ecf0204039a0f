"""The files of a set-up: the configuration, and the secret beside it."""

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
    """What a first configuration says."""

    user: int
    user_name: str
    channel: int
    channel_name: str
    folder: Path
    project: str
    api: str | None = None


def configuration(beginning: FirstConfig) -> str:
    """Write a configuration with one person, one project and one channel."""
    key = beginning.project if BARE_KEY.fullmatch(beginning.project) else _text(beginning.project)
    api = f"discord_api = {_text(beginning.api)}\n\n" if beginning.api else ""
    return f"""\
# Written by `claude-discord init`. Every other setting is explained in claude-discord.example.toml.
{api}
[people]                # who may talk to Claude and decide, in every project
users = [{beginning.user}]{_remark(beginning.user_name)}

[projects.{key}]
folder = {_text(str(beginning.folder))}
channels = [{beginning.channel}]{_remark(beginning.channel_name)}
"""


def secret(token: str, before: str) -> str:
    """Put the token into a `.env`, and keep what else stands there."""
    line = f"{TOKEN_VARIABLE}={token}"
    if TOKEN_LINE.search(before):
        return TOKEN_LINE.sub(lambda _: line, before)
    return before + ("\n" if before and not before.endswith("\n") else "") + line + "\n"


def write_private(path: Path, text: str) -> None:
    """Write a file that only its owner can read, whole or not at all."""
    fresh = path.with_name(f".{path.name}.new")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        descriptor = os.open(fresh, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
        with os.fdopen(descriptor, "w", encoding="utf-8") as file:
            os.fchmod(descriptor, 0o600)
            file.write(text)
        fresh.replace(path)
    except OSError as error:
        raise ConfigError(f"{path} can't be written: {error.strerror}. Name another with --config.") from None


def _text(value: str) -> str:
    return json.dumps(value, ensure_ascii=False).replace(
        "\x7f", "\\u007f"
    )  # a JSON string is a TOML string, but for DEL


def _remark(name: str) -> str:
    shown = " ".join("".join(char if char.isprintable() else " " for char in name).split())
    return f"  # {shown}" if shown else ""
