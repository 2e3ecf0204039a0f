"""Claude's own tool calls in a turn, from the call to its outcome."""

from collections.abc import Mapping
from typing import Any

from bot.events import ToolResult, ToolUse
from bot.transcript.call_order import AGENT_TOOLS, LOOKUP_TOOLS, come_next
from bot.transcript.items import CallState, Item, LookupGroup, Slot, SubagentGroup, ToolCall
from bot.transcript.subagents import Subagents
from bot.transcript.todos import TODO_TOOLS, TodoList
from bot.transcript.tool_results import outcome_of, slim, state_of
from bot.transcript.turn_items import Group, TurnItems

SEND_FILE = "mcp__discord__send_file"


class ToolCalls:
    """Knows each call and how far it is; lookups and subagents in a row share an item, to-dos have one of their own."""

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
        """The calls that have not ended, in their order."""
        return list(self._running.values())

    def add(self, use: ToolUse, at: float, now: float) -> Item | None:
        """Take in a call of this time; gives its item, if it has one to itself."""
        call = ToolCall(use.id, use.name, slim(use.input), at)
        self._show_edit(call)  # the line may come later than its answer
        if use.name in LOOKUP_TOOLS | AGENT_TOOLS | TODO_TOOLS:
            call.state = CallState.RUNNING  # they hardly ever ask
        self._calls[use.id] = self._running[use.id] = call
        item = self._item(use, call)
        self._items.add_call(use.id, item or self._items.last)
        come_next(self._running.values(), now)
        return item if item is call else None

    def _item(self, use: ToolUse, call: ToolCall) -> Item | None:
        """Give the item that a call stands in; a to-do list stands where it first stood."""
        if use.name in TODO_TOOLS:
            self._todos.write(use)
            return None
        if use.name in AGENT_TOOLS:
            last = self._items.last_group(SubagentGroup)
            return self._added(self._subagents.launched(call, last), last)
        if use.name in LOOKUP_TOOLS:
            group = self._items.last_group(LookupGroup)
            lookups = self._added(group or LookupGroup(), group)
            lookups.add(call)
            return lookups
        self._items.add(call)
        if use.name == SEND_FILE:
            self._items.add(Slot(f"file-{use.id}"))  # the file itself; what is said next stands below it
        return call

    def _added(self, group: Group, last: Group | None) -> Group:
        if group is not last:
            self._items.add(group)
        return group

    def add_result(self, result: ToolResult, at: float, now: float) -> None:
        """Take in what came of a call."""
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
        """An error that comes of this call now is a denial."""
        self._refused.add(tool_use_id)

    def deny(self, tool_use_id: str, now: float) -> None:
        """The end of the turn says that a call was denied."""
        call = self._calls.get(tool_use_id)
        if call and call.state is CallState.FAILED:  # an interrupted call is listed too, and was not denied
            self._settle(call, CallState.DENIED, now)

    def edit(self, tool_use_id: str, runs: Mapping[str, Any]) -> None:
        """A person changed what a call does."""
        self._edited[tool_use_id] = slim(runs)
        if call := self._calls.get(tool_use_id):
            self._show_edit(call)

    def name_rule(self, tool_use_id: str, rule: str) -> None:
        """Nobody was asked about a call: this rule allowed it."""
        if call := self._calls.get(tool_use_id):
            call.rule = rule

    def stop_all(self, now: float) -> None:
        """Nothing will come of the calls that have not ended."""
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
                self._items.revision += 1  # it was given up before, and may stand in a message that is finished
        elif isinstance(item, LookupGroup):
            item.running -= 1
        come_next(self._running.values(), now)
