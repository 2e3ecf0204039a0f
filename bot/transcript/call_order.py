"""Which of an agent's tool calls may be running: each waits for those before it, and perhaps for a person's yes."""

from collections.abc import Iterable, Iterator

from bot.transcript.items import CallState, ToolCall

AGENT_TOOLS = frozenset({"Agent", "Task"})
LOOKUP_TOOLS = frozenset({"Read", "Grep", "Glob", "LS", "NotebookRead"})
"""Tools that only look: a row of them is one line."""
SIDE_BY_SIDE = LOOKUP_TOOLS | AGENT_TOOLS | {"WebFetch", "WebSearch"}
"""The CLI runs these next to each other, and any other only when those before it have ended."""
UNASKED = 1.0
"""Seconds after which a call that is next counts as running: the request would have come by then."""


def come_next(calls: Iterable[ToolCall], at: float) -> None:
    """Note since when it is a call's turn; `calls` are those of one agent that have not ended, in their order."""
    for call in _first(calls):
        if call.next_since is None:
            call.next_since = call.started_at = at


def begin_unasked(calls: Iterable[ToolCall], asked: Iterable[str], at: float) -> bool:
    """Take those for running whose turn it has been for a while and that nobody is asked about."""
    begun = [call for call in _unasked(calls, asked) if at - (call.next_since or 0) >= UNASKED]
    for call in begun:
        call.state = CallState.RUNNING
    return bool(begun)


def next_unasked(calls: Iterable[ToolCall], asked: Iterable[str]) -> float | None:
    """Say when the next of them will count as running; None where there is none."""
    return min(
        (call.next_since + UNASKED for call in _unasked(calls, asked) if call.next_since is not None), default=None
    )


def _unasked(calls: Iterable[ToolCall], asked: Iterable[str]) -> Iterator[ToolCall]:
    return (call for call in _first(calls) if call.state is CallState.NEXT and call.id not in asked)


def _first(calls: Iterable[ToolCall]) -> Iterator[ToolCall]:
    for place, call in enumerate(calls):
        if place and call.name not in SIDE_BY_SIDE:
            return
        yield call
        if call.name not in SIDE_BY_SIDE:
            return
