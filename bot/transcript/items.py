"""What a turn consists of: the things that stand in it, in the order in which they came."""

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import Enum
from typing import Any


class CallState(Enum):
    """How far a tool call or a subagent is."""

    NEXT = "next"
    """Claude wants it; it waits for those before it, or for a yes."""
    RUNNING = "running"
    OK = "ok"
    FAILED = "failed"
    DENIED = "denied"
    STOPPED = "stopped"
    """It has no outcome: interrupted, or its result never came."""
    BACKGROUND = "background"
    """Claude went on without waiting for it."""


@dataclass(slots=True, eq=False)
class AnswerText:
    """What Claude says: it grows piece by piece, then the finished block replaces the pieces."""

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
class Outcome:
    """What is worth saying about a tool that has ended; the output itself can be megabytes."""

    added: int | None = None
    removed: int | None = None
    exit_code: int | None = None
    count: int | None = None
    """Files found, or lines, as the tool counts them."""
    tail: str = ""
    """The end of what it printed, when it failed."""
    cut: int = 0
    """Lines before the tail."""


@dataclass(slots=True, eq=False)
class ToolCall:
    id: str
    name: str
    input: Mapping[str, Any]
    """Long strings are cut: a `Write` would otherwise hold its file for as long as the turn is kept."""
    started_at: float = 0.0
    ended_at: float | None = None
    state: CallState = CallState.NEXT
    next_since: float | None = None
    """Since when no other call stands before it."""
    outcome: Outcome = Outcome()
    rule: str = ""
    """The rule that let it pass, where one did."""
    edited: bool = False
    """A person changed it before it ran: `input` is what ran."""


@dataclass(slots=True, eq=False)
class LookupGroup:
    """Reading and searching in a row: forty of these are one line, so they are counted as they come."""

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
    """A subagent: its work is its own, and only a summary of it stands in the turn."""

    id: str
    description: str
    started_at: float = 0.0
    ended_at: float | None = None
    state: CallState = CallState.RUNNING
    tool_uses: int = 0
    seen: int = 0
    """Tool calls among its lines; the CLI's own count can be ahead of them, or behind."""
    seconds: float | None = None
    """How long it worked, where the CLI tells."""
    doing: "ToolCall | str" = ""
    """The last thing it did or said."""


@dataclass(slots=True, eq=False)
class SubagentGroup:
    """Subagents that were started side by side."""

    agents: list[Subagent] = field(default_factory=list)
    version: int = 0


@dataclass(frozen=True, slots=True)
class Todo:
    id: str
    text: str
    status: str = "pending"
    """`pending`, `in_progress` or `completed`."""
    doing: str = ""
    """The same in the present continuous, for while it is done."""


@dataclass(slots=True, eq=False)
class Todos:
    """Claude's list; one for a turn, and it changes where it stands."""

    todos: list[Todo] = field(default_factory=list)
    version: int = 0


@dataclass(frozen=True, slots=True, eq=False)
class Notice:
    """A quiet remark about the session."""

    text: str


@dataclass(frozen=True, slots=True, eq=False)
class TurnProblem:
    """Something went wrong that a person has to know."""

    kind: str
    """`authentication_failed`, `rate_limit`, `prompt_too_long`, …; what the CLI calls it."""
    text: str
    """What the CLI says about it."""


@dataclass(frozen=True, slots=True, eq=False)
class Slot:
    """The place of a ticket's card."""

    ticket_id: str


Item = AnswerText | Thinking | ToolCall | LookupGroup | SubagentGroup | Todos | Notice | TurnProblem | Slot
