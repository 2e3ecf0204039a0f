"""Events about the session: its start, status, retries and rate limits."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class McpServer:
    name: str
    status: str


@dataclass(frozen=True, slots=True)
class Init:
    """The start of a turn; the CLI repeats this for every turn."""

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
    """`requesting`, `compacting` or None."""
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
    """The HTTP status; None if there was no response."""
    error: str


@dataclass(frozen=True, slots=True)
class RateLimit:
    """The status of a subscription's limit."""

    status: str
    """`allowed`, `allowed_warning` or `rejected`."""
    kind: str
    """`five_hour`, `seven_day`, …"""
    resets_at: float | None
    utilization: float | None
    """0 to 1."""


@dataclass(frozen=True, slots=True)
class Remark:
    """A message of the CLI itself, not part of an answer."""

    text: str
    level: str = "notice"
    retracted: tuple[str, ...] = ()
    """The uuids of retracted lines."""


@dataclass(frozen=True, slots=True)
class CommandOutput:
    """The output of one of Claude's own slash commands."""

    text: str
