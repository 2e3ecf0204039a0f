"""Finds the tool calls that may be running: a call waits for earlier calls, and perhaps for a person's approval."""

from collections.abc import Iterable, Iterator

from bot.transcript.items import CallState, ToolCall

AGENT_TOOLS = frozenset({"Agent", "Task"})
LOOKUP_TOOLS = frozenset({"Read", "Grep", "Glob", "LS", "NotebookRead"})
"""Tools that only read: consecutive calls share one line."""
PARALLEL_TOOLS = LOOKUP_TOOLS | AGENT_TOOLS | {"WebFetch", "WebSearch"}
"""The CLI runs these in parallel, and any other tool only after all earlier calls have ended."""
UNASKED_DELAY = 1.0
"""Seconds after which the next call counts as running: a permission request would have arrived by then."""


def mark_next(calls: Iterable[ToolCall], at: float) -> None:
    """Record since when a call is next. `calls` are the pending calls of one agent, in order."""
    for call in _next_calls(calls):
        if call.next_since is None:
            call.next_since = call.started_at = at


def start_unasked(calls: Iterable[ToolCall], asked: Iterable[str], at: float) -> bool:
    """Mark calls as running that have been next for a while without a permission request; return whether any were."""
    begun = [call for call in _next_unasked_calls(calls, asked) if at - (call.next_since or 0) >= UNASKED_DELAY]
    for call in begun:
        call.state = CallState.RUNNING
    return bool(begun)


def next_unasked_at(calls: Iterable[ToolCall], asked: Iterable[str]) -> float | None:
    """Return when the next such call will count as running; None if there is none."""
    return min(
        (call.next_since + UNASKED_DELAY for call in _next_unasked_calls(calls, asked) if call.next_since is not None),
        default=None,
    )


def _next_unasked_calls(calls: Iterable[ToolCall], asked: Iterable[str]) -> Iterator[ToolCall]:
    return (call for call in _next_calls(calls) if call.state is CallState.NEXT and call.id not in asked)


def _next_calls(calls: Iterable[ToolCall]) -> Iterator[ToolCall]:
    for place, call in enumerate(calls):
        if place and call.name not in PARALLEL_TOOLS:
            return
        yield call
        if call.name not in PARALLEL_TOOLS:
            return
