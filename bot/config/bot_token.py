"""Reads the bot's token from the environment or `.env`, never from the configuration."""

import os
from collections.abc import Mapping
from pathlib import Path

TOKEN_VARIABLE = "DISCORD_TOKEN"  # noqa: S105 - the variable's name, not a token


def secret(environment: Mapping[str, str] | None = None, *, folder: Path | None = None) -> str | None:
    """Return the bot's token from the environment or `.env`, or None; never put it into the environment."""
    environment = os.environ if environment is None else environment
    if token := environment.get(TOKEN_VARIABLE, "").strip():
        return token
    file = (folder or Path()) / ".env"
    if not file.is_file():
        return None
    for line in file.read_text(encoding="utf-8").splitlines():
        name, _, value = line.strip().removeprefix("export ").partition("=")
        if name.strip() == TOKEN_VARIABLE:
            return value.strip().strip("'\"") or None
    return None
