"""Claude's to-do list, for each of the CLI's to-do tools."""

import re
from dataclasses import replace
from typing import Any

from bot.events import ToolResult, ToolUse
from bot.transcript.items import Todo, Todos, ToolCall
from bot.transcript.turn_items import TurnItems

TODO_TOOLS = frozenset({"TodoWrite", "TaskCreate", "TaskUpdate", "TaskList", "TaskGet"})
_CREATED = re.compile(r"Task #(\S+) created")
_STATES = frozenset({"pending", "in_progress", "completed"})


class TodoList:
    """The to-do list of a turn, which starts with the list of the previous turn."""

    def __init__(self, items: TurnItems, before: tuple[Todo, ...]) -> None:
        self._items = items
        self._before = list(before)
        self._shown: Todos | None = None

    @property
    def todos(self) -> list[Todo]:
        return self._shown.todos if self._shown else self._before

    def write(self, use: ToolUse) -> None:
        """Apply a call of `TodoWrite`, which sets the whole list; the other tools change it when they have run."""
        if use.name == "TodoWrite" and (todos := parse_todo_write(use.input)) is not None:
            self._set(todos)

    def change(self, call: ToolCall, result: ToolResult) -> None:
        """Apply the result of a to-do tool."""
        self._set(apply_result(self.todos, call, result))

    def _set(self, todos: list[Todo]) -> None:
        if self._shown is None:
            if not todos:  # an empty list is not shown
                self._before = []
                return
            self._shown = Todos()
            self._items.add(self._shown)
        if todos != self._shown.todos:
            self._shown.todos = todos
            self._shown.version += 1


def parse_todo_write(tool_input: Any) -> list[Todo] | None:
    """Parse the list that `TodoWrite` sets; return None if it is not a list."""
    rows = tool_input.get("todos")
    if not isinstance(rows, list):
        return None
    return [
        Todo(str(number), _text(row, "content"), _status(row), _text(row, "activeForm"))
        for number, row in enumerate(rows, 1)
        if isinstance(row, dict)
    ]


def apply_result(todos: list[Todo], call: ToolCall, result: ToolResult) -> list[Todo]:
    """Return the list after a call of one of the task tools."""
    structured = result.structured if isinstance(result.structured, dict) else {}
    match call.name:
        case "TaskCreate":
            created = structured.get("task")
            mentioned = _CREATED.search(result.text)
            id_ = _text(created, "id") or (mentioned[1] if mentioned else str(len(todos) + 1))
            text = _text(created, "subject") or _text(call.input, "subject")
            return [*todos, Todo(id_, text, "pending", _text(call.input, "activeForm"))]
        case "TaskUpdate":
            return _apply_update(todos, call.input)
        case "TaskList" if isinstance(rows := structured.get("tasks"), list):
            doing = {todo.id: todo.doing for todo in todos}
            return [
                Todo(_text(row, "id"), _text(row, "subject"), _status(row), doing.get(_text(row, "id"), ""))
                for row in rows
                if isinstance(row, dict)
            ]
    return todos


def _apply_update(todos: list[Todo], patch: Any) -> list[Todo]:
    id_ = _text(patch, "taskId")
    if patch.get("status") == "deleted":
        return [todo for todo in todos if todo.id != id_]
    old = next((todo for todo in todos if todo.id == id_), None)
    new = replace(old or Todo(id_, f"Task {id_}"))
    if subject := _text(patch, "subject"):
        new = replace(new, text=subject)
    if doing := _text(patch, "activeForm"):
        new = replace(new, doing=doing)
    if patch.get("status") in _STATES:
        new = replace(new, status=_status(patch))
    return [new if todo is old else todo for todo in todos] if old else [*todos, new]


def _text(row: Any, key: str) -> str:
    value = row.get(key) if isinstance(row, dict) else None
    return value if isinstance(value, str) else ""


def _status(row: Any) -> str:
    status = row.get("status")
    return status if status in _STATES else "pending"
