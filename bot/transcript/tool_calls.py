"""Claude's own tool calls in a turn, from the call to its result."""

from collections.abc import Mapping
from typing import Any

from bot.events import ToolResult, ToolUse
from bot.transcript.call_order import AGENT_TOOLS, LOOKUP_TOOLS, mark_next
from bot.transcript.items import CallState, Item, LookupGroup, Slot, SubagentGroup, ToolCall
from bot.transcript.subagents import Subagents
from bot.transcript.todos import TODO_TOOLS, TodoList
from bot.transcript.tool_results import outcome_of, shorten_input, state_of
from bot.transcript.turn_items import Group, TurnItems

SEND_FILE = "mcp__discord__send_file"


class ToolCalls:
    """Tracks the state of each call. Consecutive lookups or subagents share an item, and so do all to-do calls."""

    def __init__(self, items: TurnItems, subagents: Subagents, todos: TodoList) -> None:
        self._items = items
        self._subagents = subagents
        self._todos = todos
        self._calls: dict[str, ToolCall] = {}
        self._running: dict[str, ToolCall] = {}
        self._refused: set[str] = set()
        self._edited: dict[str, Mapping[str, Any]] = {}

    def __contains__(self, tool_use_id: str) -> bool:
        return tool_use_id in self._calls

    @property
    def pending(self) -> list[ToolCall]:
        """The calls that have not ended, in order."""
        return list(self._running.values())

    def add(self, use: ToolUse, at: float, now: float) -> Item | None:
        """Add a call made at `at`; return its item if it does not share one."""
        call = ToolCall(use.id, use.name, shorten_input(use.input), at)
        self._show_edit(call)  # the call may arrive after the edit
        if use.name in LOOKUP_TOOLS | AGENT_TOOLS | TODO_TOOLS:
            call.state = CallState.RUNNING  # these rarely need approval
        self._calls[use.id] = self._running[use.id] = call
        item = self._add_to_item(use, call)
        self._items.add_call(use.id, item or self._items.last)
        mark_next(self._running.values(), now)
        return item if item is call else None

    def _add_to_item(self, use: ToolUse, call: ToolCall) -> Item | None:
        """Add a call to its item; return None for to-do calls, because their item stays where it is."""
        if use.name in TODO_TOOLS:
            self._todos.write(use)
            return None
        if use.name in AGENT_TOOLS:
            last = self._items.last_group(SubagentGroup)
            return self._add_group(self._subagents.add(call, last), last)
        if use.name in LOOKUP_TOOLS:
            group = self._items.last_group(LookupGroup)
            lookups = self._add_group(group or LookupGroup(), group)
            lookups.add(call)
            return lookups
        self._items.add(call)
        if use.name == SEND_FILE:
            self._items.add(Slot(f"file-{use.id}"))  # the file itself; later items go below it
        return call

    def _add_group(self, group: Group, last: Group | None) -> Group:
        if group is not last:
            self._items.add(group)
        return group

    def add_result(self, result: ToolResult, at: float, now: float) -> None:
        """Apply the result of a call."""
        call = self._calls.get(result.tool_use_id)
        if call is None or call.ended_at is not None:
            return
        call.outcome = outcome_of(call, result)
        call.ended_at = at
        refused = result.is_error and call.id in self._refused
        self._settle(call, CallState.DENIED if refused else state_of(result), now)
        if call.name in AGENT_TOOLS:
            self._subagents.returned(call, result)
        elif call.name in TODO_TOOLS and not result.is_error:
            self._todos.change(call, result)

    def refuse(self, tool_use_id: str) -> None:
        """Treat a later error of this call as a denial."""
        self._refused.add(tool_use_id)

    def deny(self, tool_use_id: str, now: float) -> None:
        """Mark a failed call as denied, as the end of the turn reports it."""
        call = self._calls.get(tool_use_id)
        if call and call.state is CallState.FAILED:  # interrupted calls are listed too, but were not denied
            self._settle(call, CallState.DENIED, now)

    def edit(self, tool_use_id: str, runs: Mapping[str, Any]) -> None:
        """Set the input of a call that a person edited."""
        self._edited[tool_use_id] = shorten_input(runs)
        if call := self._calls.get(tool_use_id):
            self._show_edit(call)

    def name_rule(self, tool_use_id: str, rule: str) -> None:
        """Record the rule that allowed a call."""
        if call := self._calls.get(tool_use_id):
            call.rule = rule

    def stop_all(self, now: float) -> None:
        """Mark all pending calls as stopped."""
        for call in self.pending:
            self._settle(call, CallState.STOPPED, now)

    def _show_edit(self, call: ToolCall) -> None:
        if call.id in self._edited:
            call.input, call.edited = self._edited[call.id], True

    def _settle(self, call: ToolCall, state: CallState, now: float) -> None:
        was, call.state = call.state, state
        item = self._items.item_of(call.id)
        if isinstance(item, LookupGroup):
            item.failed += state is CallState.FAILED
        elif isinstance(item, SubagentGroup):
            self._subagents.settled(call)
        if self._running.pop(call.id, None) is None:
            if was is not state:
                self._items.revision += 1  # it was stopped before, and may be in a finished message
        elif isinstance(item, LookupGroup):
            item.running -= 1
        mark_next(self._running.values(), now)
