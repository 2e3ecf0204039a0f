"""Claude's to-do list, whichever of the CLI's tools keeps it."""

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
    """The list as the turn shows it, from where the turn before left it."""

    def __init__(self, items: TurnItems, before: tuple[Todo, ...]) -> None:
        self._items = items
        self._before = list(before)
        self._shown: Todos | None = None

    @property
    def todos(self) -> list[Todo]:
        return self._shown.todos if self._shown else self._before

    def write(self, use: ToolUse) -> None:
        """Take in a call: `TodoWrite` says all of the list, the other tools change it when they have run."""
        if use.name == "TodoWrite" and (todos := written(use.input)) is not None:
            self._set(todos)

    def change(self, call: ToolCall, result: ToolResult) -> None:
        """Take in what one of the tools did."""
        self._set(changed(self.todos, call, result))

    def _set(self, todos: list[Todo]) -> None:
        if self._shown is None:
            if not todos:  # an empty list is nothing to show
                self._before = []
                return
            self._shown = Todos()
            self._items.add(self._shown)
        if todos != self._shown.todos:
            self._shown.todos = todos
            self._shown.version += 1


def written(tool_input: Any) -> list[Todo] | None:
    """Read the list that `TodoWrite` sets, whole each time; None if it is no list."""
    rows = tool_input.get("todos")
    if not isinstance(rows, list):
        return None
    return [
        Todo(str(number), _text(row, "content"), _status(row), _text(row, "activeForm"))
        for number, row in enumerate(rows, 1)
        if isinstance(row, dict)
    ]


def changed(todos: list[Todo], call: ToolCall, result: ToolResult) -> list[Todo]:
    """Apply what one of the task tools did."""
    structured = result.structured if isinstance(result.structured, dict) else {}
    match call.name:
        case "TaskCreate":
            created = structured.get("task")
            mentioned = _CREATED.search(result.text)
            id_ = _text(created, "id") or (mentioned[1] if mentioned else str(len(todos) + 1))
            text = _text(created, "subject") or _text(call.input, "subject")
            return [*todos, Todo(id_, text, "pending", _text(call.input, "activeForm"))]
        case "TaskUpdate":
            return _updated(todos, call.input)
        case "TaskList" if isinstance(rows := structured.get("tasks"), list):
            doing = {todo.id: todo.doing for todo in todos}
            return [
                Todo(_text(row, "id"), _text(row, "subject"), _status(row), doing.get(_text(row, "id"), ""))
                for row in rows
                if isinstance(row, dict)
            ]
    return todos


def _updated(todos: list[Todo], patch: Any) -> list[Todo]:
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
