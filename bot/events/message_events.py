"""Events about finished messages: text, tool calls, tool results, and the end of a turn."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from bot.events.usage import NO_USAGE, Usage


@dataclass(frozen=True, slots=True)
class TextBlock:
    text: str


@dataclass(frozen=True, slots=True)
class ThinkingBlock:
    text: str


@dataclass(frozen=True, slots=True)
class ToolUse:
    id: str
    name: str
    input: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class UnknownBlock:
    kind: str
    raw: Any


Block = TextBlock | ThinkingBlock | ToolUse | UnknownBlock


@dataclass(frozen=True, slots=True)
class Assistant:
    """Finished blocks of a message: usually one per line, and several lines per message."""

    message_id: str
    model: str
    blocks: tuple[Block, ...]
    usage: Usage = NO_USAGE
    parent: str | None = None
    error: str = ""
    """Set if the CLI itself wrote the message because the API failed: `overloaded`, `authentication_failed`, …"""
    uuid: str = ""
    supersedes: tuple[str, ...] = ()
    at: float | None = None
    """When it was written, by the CLI's clock; older versions don't report it."""


@dataclass(frozen=True, slots=True)
class ToolResult:
    tool_use_id: str
    is_error: bool
    text: str
    structured: Any = None
    """The tool's own output object, if the CLI reports it."""
    decision: str = ""
    """`accept` or `reject`; older versions don't report it."""
    not_run: str = ""
    """Why the tool did not run: `user-rejected`, `permission-rule`, `interrupted`, …"""


@dataclass(frozen=True, slots=True)
class User:
    """Tool results, or a text in the role of the user."""

    results: tuple[ToolResult, ...]
    text: str = ""
    parent: str | None = None
    uuid: str = ""
    at: float | None = None


@dataclass(frozen=True, slots=True)
class Denial:
    tool_use_id: str
    tool_name: str


@dataclass(frozen=True, slots=True)
class Result:
    """The end of a turn."""

    subtype: str
    is_error: bool
    text: str = ""
    num_turns: int = 0
    duration_ms: float = 0
    cost: float | None = None
    """US dollars since the process started, not only for this turn."""
    usage: Usage = NO_USAGE
    context_windows: Mapping[str, int] = field(default_factory=dict)
    denials: tuple[Denial, ...] = ()
    terminal_reason: str = ""
    errors: tuple[str, ...] = ()
    api_status: int | None = None

    @property
    def stopped(self) -> bool:
        """Whether someone interrupted the turn."""
        return self.terminal_reason in {"aborted_streaming", "aborted_tools"}


@dataclass(frozen=True, slots=True)
class ToolProgress:
    tool_use_id: str
    seconds: float
    parent: str | None = None


@dataclass(frozen=True, slots=True)
class PermissionDenied:
    """A tool call was denied without asking anyone."""

    tool_use_id: str
    tool_name: str
    message: str
