"""The types of single settings: ids, folders, environment variables."""

import re
from pathlib import Path
from typing import Annotated, Literal

from pydantic import AfterValidator, BaseModel, BeforeValidator, ConfigDict, Field, ValidationInfo

PermissionMode = Literal["default", "manual", "acceptEdits", "plan", "auto", "dontAsk", "bypassPermissions"]
UNGUARDED = frozenset[PermissionMode]({"auto", "bypassPermissions"})
"""Modes in which Claude acts without asking; they need `allow_bypass = true`."""
Effort = Literal["low", "medium", "high", "xhigh", "max"]
Isolation = Literal["none", "worktree"]
Style = Literal["thread", "channel"]
Mention = Literal["never", "when-needed", "always"]

LONGEST_NAME = 80
"""Maximum length of a project's name."""
_VARIABLE = re.compile(r"[A-Za-z_][A-Za-z0-9_]*\Z")
_RESERVED = ("DISCORD_", "CLAUDE_DISCORD_", "MCP_TOOL_TIMEOUT", "CLAUDE_BASH_MAINTAIN_PROJECT_WORKING_DIR")


class Section(BaseModel):
    """A table of the file: immutable, and with known settings only."""

    model_config = ConfigDict(extra="forbid", frozen=True)


def _snowflake(value: object) -> object:
    if isinstance(value, str) and value.isascii() and value.isdigit():
        return int(value)
    if isinstance(value, bool) or not isinstance(value, int):
        raise ValueError(  # noqa: TRY004 - pydantic reads ValueError only
            f"{value!r} is not a Discord id: copy the number with Discord's «Copy ID» "
            "(Settings → Advanced → Developer Mode)"
        )
    return value


Snowflake = Annotated[int, BeforeValidator(_snowflake), Field(ge=1, lt=2**63)]


def _without_nul(value: object) -> object:
    if isinstance(value, str) and "\0" in value:
        raise ValueError("a path can't contain a NUL character; remove it")
    return value


def _absolute(path: Path, info: ValidationInfo) -> Path:
    """Make a path absolute, relative to the folder of the file if that is known."""
    try:
        path = path.expanduser()
    except RuntimeError:
        raise ValueError(f"there is no user {path.parts[0]} on this machine; write the full path") from None
    base = (info.context or {}).get("base")
    try:
        return (base / path).resolve() if base else path
    except (OSError, RuntimeError):  # links in a circle
        raise ValueError(f"{path} can't be resolved; correct the path") from None


def is_name(text: str) -> bool:
    """Check whether this can be the name of a project."""
    return bool(text.strip()) and len(text) <= LONGEST_NAME and text.isprintable()


def is_folder(path: Path) -> bool:
    """Check whether a folder exists; False for an impossible path too."""
    try:
        return path.is_dir()
    except OSError:
        return False


def _existing(path: Path, info: ValidationInfo) -> Path:
    if info.context and not is_folder(path):
        raise ValueError(f"there is no folder {path}; create it or correct the path")
    return path


AbsolutePath = Annotated[Path, BeforeValidator(_without_nul), AfterValidator(_absolute)]
Folder = Annotated[AbsolutePath, AfterValidator(_existing)]


def _variable(name: str) -> str:
    if not _VARIABLE.match(name):
        raise ValueError(f"{name!r} can't be the name of a variable; use letters, digits and _")
    if name.startswith(_RESERVED):
        raise ValueError(f"{name} is reserved for the bot and never passed to Claude; use another name")
    return name


def _checked_text(text: str) -> str:
    if "\0" in text:
        raise ValueError("a text for Claude can't contain a NUL character; remove it")
    return text


ArgumentText = Annotated[str, AfterValidator(_checked_text), Field(min_length=1)]
"""A text that can be passed to a program."""
Variables = dict[Annotated[str, AfterValidator(_variable)], Annotated[str, AfterValidator(_checked_text)]]
