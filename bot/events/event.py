"""`Event`: any line of the CLI's stdout."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from bot.events.message_events import (
    Assistant,
    PermissionDenied,
    Result,
    ToolProgress,
    User,
)
from bot.events.session_events import (
    ApiRetry,
    CommandOutput,
    Compacted,
    Init,
    RateLimit,
    Remark,
    StatusChange,
)
from bot.events.stream_events import (
    BlockStarted,
    BlockStopped,
    InputDelta,
    MessageDelta,
    MessageStarted,
    MessageStopped,
    TextDelta,
    ThinkingDelta,
)
from bot.events.task_events import (
    BackgroundTasks,
    TaskEnded,
    TaskProgress,
    TaskStarted,
    TaskUpdated,
)


@dataclass(frozen=True, slots=True)
class ControlResponse:
    """The CLI's answer to a control request."""

    request_id: str
    ok: bool
    response: Mapping[str, Any]
    error: str = ""


@dataclass(frozen=True, slots=True)
class Unknown:
    """An event that the bot does not know, such as one of a newer CLI."""

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
