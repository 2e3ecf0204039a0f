"""The words for what the CLI writes: each line of its stdout is one of these events."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True, slots=True)
class Usage:
    input_tokens: int = 0
    output_tokens: int = 0
    cache_read: int = 0
    cache_creation: int = 0

    @property
    def context(self) -> int:
        """Tokens that the conversation holds after this message."""
        return self.input_tokens + self.output_tokens + self.cache_read + self.cache_creation


# --- what a session says about itself


@dataclass(frozen=True, slots=True)
class McpServer:
    name: str
    status: str


@dataclass(frozen=True, slots=True)
class Init:
    """A turn begins; the CLI repeats this every time."""

    session_id: str
    cwd: str
    model: str
    permission_mode: str
    tools: tuple[str, ...] = ()
    mcp_servers: tuple[McpServer, ...] = ()
    slash_commands: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class StatusChange:
    status: str | None
    """`requesting`, `compacting`, or None when there is nothing of the kind."""
    permission_mode: str | None = None
    compact_error: str = ""


@dataclass(frozen=True, slots=True)
class Compacted:
    trigger: str
    pre_tokens: int
    post_tokens: int


@dataclass(frozen=True, slots=True)
class ApiRetry:
    attempt: int
    max_retries: int
    delay_ms: float
    status: int | None
    """The HTTP status; None when there was no answer at all."""
    error: str


@dataclass(frozen=True, slots=True)
class RateLimit:
    """How a subscription's limit stands."""

    status: str
    """`allowed`, `allowed_warning` or `rejected`."""
    kind: str
    """`five_hour`, `seven_day`, …"""
    resets_at: float | None
    utilization: float | None
    """0 to 1."""


@dataclass(frozen=True, slots=True)
class Remark:
    """A sentence of the CLI's own, about the session and not part of an answer."""

    text: str
    level: str = "notice"
    retracted: tuple[str, ...] = ()
    """The uuids of lines that it takes back."""


@dataclass(frozen=True, slots=True)
class CommandOutput:
    """What one of Claude's own slash commands printed."""

    text: str


# --- a message as it is written


@dataclass(frozen=True, slots=True)
class MessageStarted:
    message_id: str
    model: str
    usage: Usage
    parent: str | None = None
    """The tool call whose subagent writes; None for Claude itself. The same everywhere below."""


@dataclass(frozen=True, slots=True)
class BlockStarted:
    index: int
    kind: str
    parent: str | None = None


@dataclass(frozen=True, slots=True)
class TextDelta:
    index: int
    text: str
    parent: str | None = None


@dataclass(frozen=True, slots=True)
class ThinkingDelta:
    index: int
    text: str
    parent: str | None = None


@dataclass(frozen=True, slots=True)
class InputDelta:
    """A piece of a tool's input; the whole comes with the finished block."""

    index: int
    json: str
    parent: str | None = None


@dataclass(frozen=True, slots=True)
class BlockStopped:
    index: int
    parent: str | None = None


@dataclass(frozen=True, slots=True)
class MessageDelta:
    stop_reason: str | None
    output_tokens: int
    parent: str | None = None


@dataclass(frozen=True, slots=True)
class MessageStopped:
    parent: str | None = None


# --- finished blocks and outcomes


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
    """Finished blocks of a message: usually one a line, several lines a message."""

    message_id: str
    model: str
    blocks: tuple[Block, ...]
    usage: Usage = Usage()
    parent: str | None = None
    error: str = ""
    """Set when the CLI itself speaks because the API failed: `overloaded`, `authentication_failed`, …"""
    uuid: str = ""
    supersedes: tuple[str, ...] = ()
    at: float | None = None
    """When it was written, by the CLI's clock; older versions don't say."""


@dataclass(frozen=True, slots=True)
class ToolResult:
    tool_use_id: str
    is_error: bool
    text: str
    structured: Any = None
    """The tool's own output object, where the CLI gives it."""
    decision: str = ""
    """`accept` or `reject`; older versions don't say."""
    unrun: str = ""
    """Why it never ran: `user-rejected`, `permission-rule`, `interrupted`, …"""


@dataclass(frozen=True, slots=True)
class User:
    """Outcomes of tools, or words put into the conversation on the user's side."""

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
    """US dollars since the process started, not of this turn alone."""
    usage: Usage = Usage()
    context_windows: Mapping[str, int] = field(default_factory=dict)
    denials: tuple[Denial, ...] = ()
    terminal_reason: str = ""
    errors: tuple[str, ...] = ()
    api_status: int | None = None

    @property
    def stopped(self) -> bool:
        """Somebody interrupted it."""
        return self.terminal_reason in {"aborted_streaming", "aborted_tools"}


# --- subagents, background commands, tools that take long


@dataclass(frozen=True, slots=True)
class TaskStarted:
    task_id: str
    tool_use_id: str
    description: str
    kind: str
    """`local_agent`, `local_bash`, …"""
    backgrounded: bool = False
    ambient: bool = False


@dataclass(frozen=True, slots=True)
class TaskProgress:
    task_id: str
    tool_use_id: str
    description: str
    tool_uses: int
    summary: str = ""


@dataclass(frozen=True, slots=True)
class TaskUpdated:
    task_id: str
    status: str
    error: str = ""
    backgrounded: bool | None = None


@dataclass(frozen=True, slots=True)
class TaskEnded:
    task_id: str
    tool_use_id: str
    status: str
    """`completed`, `failed` or `stopped`."""
    summary: str
    tool_uses: int | None = None
    duration_ms: float | None = None
    ambient: bool = False


@dataclass(frozen=True, slots=True)
class BackgroundTask:
    task_id: str
    kind: str
    description: str


@dataclass(frozen=True, slots=True)
class BackgroundTasks:
    """All that runs in the background now; replaces what was said before."""

    tasks: tuple[BackgroundTask, ...]


@dataclass(frozen=True, slots=True)
class ToolProgress:
    tool_use_id: str
    seconds: float
    parent: str | None = None


@dataclass(frozen=True, slots=True)
class PermissionDenied:
    """A tool was refused without asking anyone."""

    tool_use_id: str
    tool_name: str
    message: str


# --- the rest


@dataclass(frozen=True, slots=True)
class ControlResponse:
    request_id: str
    ok: bool
    response: Mapping[str, Any]
    error: str = ""


@dataclass(frozen=True, slots=True)
class Unknown:
    """A line of a newer CLI: kept whole, understood by nobody."""

    kind: str
    raw: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Garbage:
    """A line that is not a JSON object."""

    line: str


Event = (
    Init
    | StatusChange
    | Compacted
    | ApiRetry
    | RateLimit
    | Remark
    | CommandOutput
    | MessageStarted
    | BlockStarted
    | TextDelta
    | ThinkingDelta
    | InputDelta
    | BlockStopped
    | MessageDelta
    | MessageStopped
    | Assistant
    | User
    | Result
    | TaskStarted
    | TaskProgress
    | TaskUpdated
    | TaskEnded
    | BackgroundTasks
    | ToolProgress
    | PermissionDenied
    | ControlResponse
    | Unknown
    | Garbage
)
