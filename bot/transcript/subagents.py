"""The subagents of a turn: their tool calls and their progress."""

from bot.events import (
    Assistant,
    TaskEnded,
    TaskProgress,
    TaskStarted,
    TaskUpdated,
    TextBlock,
    ToolResult,
    ToolUse,
)
from bot.transcript.call_order import AGENT_TOOLS, LOOKUP_TOOLS, mark_next
from bot.transcript.items import CallState, Subagent, SubagentGroup, ToolCall
from bot.transcript.tool_results import shorten_input, state_of

MAX_GROUP = 6
"""Subagents in one group: they must fit in a message, each with its current activity."""
_MAX_TEXT = 300  # characters of a subagent's text
_ENDINGS = {
    "completed": CallState.OK,
    "failed": CallState.FAILED,
    "killed": CallState.STOPPED,
    "stopped": CallState.STOPPED,
}


class Subagents:
    """Tracks subagents by the tool call that started them. A subagent's own subagents count as its work."""

    def __init__(self) -> None:
        self._agents: dict[str, Subagent] = {}
        self._groups: dict[str, SubagentGroup] = {}
        self._tasks: dict[str, str] = {}
        self._calls: dict[str, Subagent] = {}
        self._pending: dict[str, dict[str, ToolCall]] = {}
        """The pending calls of each agent."""

    def __contains__(self, tool_use_id: str | None) -> bool:
        return tool_use_id in self._agents

    def knows(self, event: TaskStarted | TaskProgress | TaskUpdated | TaskEnded) -> bool:
        return self._agent_of(event) is not None

    def description_of(self, tool_use_id: str) -> str | None:
        """Return the description of the agent that makes a call; None if no agent does."""
        agent = self._calls.get(tool_use_id)
        return agent.description if agent else None

    def add(self, call: ToolCall, group: SubagentGroup | None) -> SubagentGroup:
        """Add a subagent that Claude starts, to the given group if it has room; return its group."""
        description = call.input.get("description")
        agent = Subagent(call.id, description if isinstance(description, str) else "", call.started_at)
        if group is None or len(group.agents) >= MAX_GROUP:
            group = SubagentGroup()
        self._add(agent, group)
        return group

    def _add(self, agent: Subagent, group: SubagentGroup) -> None:
        group.agents.append(agent)
        self._agents[agent.id] = agent
        self._groups[agent.id] = group
        group.version += 1

    def _mark_changed(self, agent: Subagent) -> None:
        self._groups[agent.id].version += 1

    # --- messages of subagents

    def said(self, event: Assistant, at: float) -> None:
        agent = self._agents.get(event.parent or "")
        if agent is None:
            return
        for block in event.blocks:
            match block:
                case TextBlock(text) if text.strip():
                    agent.doing = text.strip()[:_MAX_TEXT]
                case ToolUse():
                    agent.doing = call = ToolCall(block.id, block.name, shorten_input(block.input), event.at or at)
                    if block.name in LOOKUP_TOOLS | AGENT_TOOLS:
                        call.state = CallState.RUNNING
                    self._pending.setdefault(event.parent or "", {})[block.id] = call
                    self._calls[block.id] = agent
                    agent.seen += 1
                    agent.tool_uses = max(agent.tool_uses, agent.seen)
                    if block.name in AGENT_TOOLS:
                        self._agents[block.id] = agent
        self._show_next_call(agent, event.parent or "", at)

    def outcome(self, parent: str, result: ToolResult, at: float) -> None:
        agent, call = self._agents.get(parent), self._pending.get(parent, {}).pop(result.tool_use_id, None)
        if agent and call:
            call.state = state_of(result)
            self._show_next_call(agent, parent, at)

    def _show_next_call(self, agent: Subagent, parent: str, at: float) -> None:
        """Show the first pending call of an agent, because the others wait for it."""
        if pending := list(self._pending.get(parent, {}).values()):
            agent.doing = pending[0]
            mark_next(pending, at)
        self._mark_changed(agent)

    def pending(self) -> list[list[ToolCall]]:
        """Return the pending calls of each agent, in order."""
        return [list(calls.values()) for calls in self._pending.values() if calls]

    # --- the tool calls that start subagents

    def settled(self, call: ToolCall) -> None:
        agent = self._agents.get(call.id)
        if agent and agent.state in {CallState.RUNNING, CallState.STOPPED}:
            agent.state = call.state
            agent.ended_at = call.ended_at
            self._mark_changed(agent)

    def returned(self, call: ToolCall, result: ToolResult) -> None:
        agent = self._agents.get(call.id)
        structured = result.structured
        if agent is None or not isinstance(structured, dict):
            return
        uses, took = structured.get("totalToolUseCount"), structured.get("totalDurationMs")
        if isinstance(uses, int):
            agent.tool_uses = max(agent.tool_uses, uses)
        if isinstance(took, int | float):
            agent.seconds = took / 1000
        self._mark_changed(agent)

    # --- events about tasks

    def _agent_of(self, event: TaskStarted | TaskProgress | TaskUpdated | TaskEnded) -> Subagent | None:
        tool_use_id = "" if isinstance(event, TaskUpdated) else event.tool_use_id
        return self._agents.get(tool_use_id or self._tasks.get(event.task_id, ""))

    def started(self, event: TaskStarted, at: float) -> SubagentGroup | None:
        """Apply the start of a task; return a new group if it is an agent whose call was never seen."""
        agent = self._agent_of(event)
        if agent is not None:
            self._tasks[event.task_id] = agent.id
            return None
        if event.kind != "local_agent" or event.ambient:
            return None
        group = SubagentGroup()
        agent = Subagent(event.tool_use_id or event.task_id, event.description, at, state=CallState.BACKGROUND)
        self._tasks[event.task_id] = agent.id
        self._add(agent, group)
        return group

    def progressed(self, event: TaskProgress) -> None:
        agent = self._agent_of(event)
        if agent is not None:
            agent.tool_uses = max(agent.tool_uses, event.tool_uses)
            if event.summary:
                agent.doing = event.summary[:_MAX_TEXT]
            elif event.description and not agent.doing:
                agent.doing = event.description[:_MAX_TEXT]
            self._mark_changed(agent)

    def updated(self, event: TaskUpdated, at: float) -> None:
        agent = self._agent_of(event)
        if agent is None:
            return
        if event.status in _ENDINGS:
            self._end(agent, _ENDINGS[event.status], at)
        elif event.backgrounded:
            agent.state = CallState.BACKGROUND
            self._mark_changed(agent)

    def ended(self, event: TaskEnded, at: float) -> bool:
        """Apply the end of a task; return False if it is not an agent of this turn."""
        agent = self._agent_of(event)
        if agent is None:
            return False
        if event.tool_uses is not None:
            agent.tool_uses = max(agent.tool_uses, event.tool_uses)
        if event.duration_ms is not None:
            agent.seconds = event.duration_ms / 1000
        self._end(agent, _ENDINGS.get(event.status, CallState.OK), at)
        return True

    def _end(self, agent: Subagent, state: CallState, at: float) -> None:
        agent.state = state
        agent.ended_at = agent.ended_at or at
        self._mark_changed(agent)
