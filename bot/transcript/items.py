"""The items of a turn: texts, tool calls, subagents, to-dos, notices and problems."""

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import Enum
from typing import Any


class CallState(Enum):
    """The state of a tool call or a subagent."""

    NEXT = "next"
    """Requested by Claude, and waiting for earlier calls or for approval."""
    RUNNING = "running"
    OK = "ok"
    FAILED = "failed"
    DENIED = "denied"
    STOPPED = "stopped"
    """Interrupted, or its result never arrived."""
    BACKGROUND = "background"
    """Claude continued without waiting for it."""


@dataclass(slots=True, eq=False)
class AnswerText:
    """A text by Claude. It grows chunk by chunk until the finished block replaces the chunks."""

    chunks: list[str]
    done: bool = False

    @property
    def text(self) -> str:
        return "".join(self.chunks)


@dataclass(slots=True, eq=False)
class Thinking:
    chunks: list[str]
    done: bool = False

    @property
    def text(self) -> str:
        return "".join(self.chunks)


@dataclass(frozen=True, slots=True)
class ToolOutcome:
    """A summary of a tool's result, whose full output can be megabytes."""

    added: int | None = None
    removed: int | None = None
    exit_code: int | None = None
    count: int | None = None
    """Number of files or lines that the tool found."""
    tail: str = ""
    """The end of its output, if it failed."""
    cut: int = 0
    """Number of lines before the tail."""


@dataclass(slots=True, eq=False)
class ToolCall:
    id: str
    name: str
    input: Mapping[str, Any]
    """Long strings are cut: a `Write` would otherwise keep its file in memory as long as the turn."""
    started_at: float = 0.0
    ended_at: float | None = None
    state: CallState = CallState.NEXT
    next_since: float | None = None
    """Since when no other call is before it."""
    outcome: ToolOutcome = ToolOutcome()
    rule: str = ""
    """The rule that allowed it, if one did."""
    edited: bool = False
    """Whether a person edited it before it ran; `input` is what ran."""


@dataclass(slots=True, eq=False)
class LookupGroup:
    """Consecutive reads and searches. Forty of them are one line, so they are counted as they arrive."""

    calls: list[ToolCall] = field(default_factory=list)
    running: int = 0
    failed: int = 0
    counts: Counter[str] = field(default_factory=Counter)

    def add(self, call: ToolCall) -> None:
        self.calls.append(call)
        self.counts[call.name] += 1
        self.running += 1


@dataclass(slots=True, eq=False)
class Subagent:
    """A subagent, of whose work the turn only shows a summary."""

    id: str
    description: str
    started_at: float = 0.0
    ended_at: float | None = None
    state: CallState = CallState.RUNNING
    tool_uses: int = 0
    seen: int = 0
    """Number of its tool calls seen so far; the CLI's own count can be higher or lower."""
    seconds: float | None = None
    """How long it worked, if the CLI reports it."""
    doing: "ToolCall | str" = ""
    """Its latest tool call or text."""


@dataclass(slots=True, eq=False)
class SubagentGroup:
    """Subagents that were started one after another, without other items in between."""

    agents: list[Subagent] = field(default_factory=list)
    version: int = 0


@dataclass(frozen=True, slots=True)
class Todo:
    id: str
    text: str
    status: str = "pending"
    """`pending`, `in_progress` or `completed`."""
    doing: str = ""
    """The text to show while it is in progress, such as “Running the tests”."""


@dataclass(slots=True, eq=False)
class Todos:
    """Claude's to-do list. A turn has only one, which is updated in place."""

    todos: list[Todo] = field(default_factory=list)
    version: int = 0


@dataclass(frozen=True, slots=True, eq=False)
class Notice:
    """A minor message about the session."""

    text: str


@dataclass(frozen=True, slots=True, eq=False)
class TurnProblem:
    """An error that people need to know about."""

    kind: str
    """The CLI's name for it: `authentication_failed`, `rate_limit`, `prompt_too_long`, …"""
    text: str
    """The CLI's message."""


@dataclass(frozen=True, slots=True, eq=False)
class Slot:
    """The position of a ticket's card."""

    ticket_id: str


Item = AnswerText | Thinking | ToolCall | LookupGroup | SubagentGroup | Todos | Notice | TurnProblem | Slot
