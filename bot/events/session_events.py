"""What a session says about itself: its start, its limits, and trouble on the way."""

from dataclasses import dataclass


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
