"""What a single setting may be: ids, folders, names of variables."""

import re
from pathlib import Path
from typing import Annotated, Literal

from pydantic import AfterValidator, BaseModel, BeforeValidator, ConfigDict, Field, ValidationInfo

PermissionMode = Literal["default", "manual", "acceptEdits", "plan", "auto", "dontAsk", "bypassPermissions"]
UNGUARDED = frozenset[PermissionMode]({"auto", "bypassPermissions"})
"""Modes in which Claude acts where nobody was asked: only where the file says `allow_bypass = true`."""
Effort = Literal["low", "medium", "high", "xhigh", "max"]
Isolation = Literal["none", "worktree"]
Style = Literal["thread", "channel"]
Mention = Literal["never", "when-needed", "always"]

LONGEST_NAME = 80
"""Characters of a project's name."""
_VARIABLE = re.compile(r"[A-Za-z_][A-Za-z0-9_]*\Z")
_OURS = ("DISCORD_", "CLAUDE_DISCORD_", "MCP_TOOL_TIMEOUT", "CLAUDE_BASH_MAINTAIN_PROJECT_WORKING_DIR")


class Section(BaseModel):
    """A table of the file: nothing in it that is not known, and nothing changes."""

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


def _possible(value: object) -> object:
    if isinstance(value, str) and "\0" in value:
        raise ValueError("a path can't have a NUL in it; remove it")
    return value


def _in_full(path: Path, info: ValidationInfo) -> Path:
    """Write a path in full, where it is known what it is relative to: the file's own folder."""
    try:
        path = path.expanduser()
    except RuntimeError:
        raise ValueError(f"nobody on this machine is called {path.parts[0]}; write the path in full") from None
    base = (info.context or {}).get("base")
    try:
        return (base / path).resolve() if base else path
    except (OSError, RuntimeError):  # links in a circle
        raise ValueError(f"{path} leads nowhere; correct the path") from None


def is_name(text: str) -> bool:
    """Whether a project can be called this."""
    return bool(text.strip()) and len(text) <= LONGEST_NAME and text.isprintable()


def is_folder(path: Path) -> bool:
    """Whether a folder is there; a name that no folder can have is none."""
    try:
        return path.is_dir()
    except OSError:
        return False


def _there(path: Path, info: ValidationInfo) -> Path:
    if info.context and not is_folder(path):
        raise ValueError(f"there is no folder {path}; create it or correct the path")
    return path


AbsolutePath = Annotated[Path, BeforeValidator(_possible), AfterValidator(_in_full)]
Folder = Annotated[AbsolutePath, AfterValidator(_there)]


def _variable(name: str) -> str:
    if not _VARIABLE.match(name):
        raise ValueError(f"{name!r} can't be a variable's name; use letters, digits and _")
    if name.startswith(_OURS):
        raise ValueError(f"{name} is the bot's own and never given to Claude; use another name")
    return name


def _sendable(text: str) -> str:
    if "\0" in text:
        raise ValueError("a text for Claude can't have a NUL in it; remove it")
    return text


ArgumentText = Annotated[str, AfterValidator(_sendable), Field(min_length=1)]
"""A text that can be handed to a program."""
Variables = dict[Annotated[str, AfterValidator(_variable)], Annotated[str, AfterValidator(_sendable)]]
