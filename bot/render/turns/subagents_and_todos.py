"""The messages of a turn that are edited in place: its subagents, and Claude's to-do list."""

from collections.abc import Callable

from bot.render.turns.tool_lines import tool_sentence
from bot.text.duration import duration
from bot.text.escape import discord_markdown, one_line
from bot.text.split import BODY
from bot.text.truncate import truncate, utf16_length
from bot.transcript import CallState, Subagent, SubagentGroup, Todo, Todos, ToolCall

_MAX_DESCRIPTION = 80
_MAX_DOING = 160
_MAX_TODO = 150
_ACTIVE = frozenset({CallState.RUNNING, CallState.BACKGROUND})
_BOXES = {"completed": "☑", "in_progress": "▶", "pending": "☐"}
_ENDS = {CallState.OK: "✓", CallState.FAILED: "✗ failed", CallState.DENIED: "· denied", CallState.STOPPED: "· stopped"}


def changing_text(item: SubagentGroup | Todos, cwd: str, is_asked: Callable[[ToolCall], bool]) -> str:
    return subagents(item, cwd, is_asked) if isinstance(item, SubagentGroup) else todo_list(item)


def subagents(group: SubagentGroup, cwd: str, is_asked: Callable[[ToolCall], bool]) -> str:
    """Draw subagents as quotes, because their work is not part of the main text."""
    return "\n".join(_agent(agent, cwd, is_asked) for agent in group.agents)


def _agent(agent: Subagent, cwd: str, is_asked: Callable[[ToolCall], bool]) -> str:
    name = f"> **{_line(agent.description, _MAX_DESCRIPTION) or 'Subagent'}**"
    tools = "1 tool call" if agent.tool_uses == 1 else f"{agent.tool_uses} tool calls"
    if agent.state in _ACTIVE:
        where = "in the background" if agent.state is CallState.BACKGROUND else "working"
        since = f", started <t:{int(agent.started_at)}:R>" if agent.started_at else ""
        doing = agent.doing
        if isinstance(doing, ToolCall):
            now = tool_sentence(doing, cwd, asking=is_asked(doing))
        else:
            now = _line(doing.partition("\n")[0], _MAX_DOING)
        head = f"{name} · subagent {where}{since}" + (f" · {tools}" if agent.tool_uses else "")
        return f"{head}\n> {now}" if now else head
    took = agent.seconds
    if took is None and agent.ended_at and agent.started_at:
        took = agent.ended_at - agent.started_at
    words = [f"{name} {_ENDS[agent.state]}", tools if agent.tool_uses else "", duration(took) if took else ""]
    return " · ".join(filter(None, words))


def todo_list(item: Todos) -> str:
    """Draw the to-do list. If it does not fit, leave out completed items first."""
    rows = item.todos
    done = [todo for todo in rows if todo.status == "completed"]
    title = f"**To do** · {len(done)} of {len(rows)} done"
    text = "\n".join([title, *map(_todo, rows)])
    if utf16_length(text) <= BODY:
        return text
    shown, left = [title, f"☑ {len(done)} done"], [todo for todo in rows if todo.status != "completed"]
    room = BODY - sum(map(utf16_length, shown)) - len("… and 1000000 more") - 5
    while left and (room := room - utf16_length(_todo(left[0])) - 1) >= 0:
        shown.append(_todo(left.pop(0)))
    return "\n".join([*shown, f"… and {len(left)} more"] if left else shown)


def _todo(todo: Todo) -> str:
    text = todo.doing if todo.status == "in_progress" and todo.doing else todo.text
    text = _line(text, _MAX_TODO)
    return f"{_BOXES[todo.status]} " + (f"**{text}**" if todo.status == "in_progress" and text else text)


def _line(text: str, limit: int) -> str:
    return discord_markdown(truncate(one_line(text), limit))
