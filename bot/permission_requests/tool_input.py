"""The action of a request (a command, a change, a question, a plan…), parsed from the tool's input."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from bot.permission_requests import questions
from bot.permission_requests.questions import Question

Json = Mapping[str, Any]
MAX_EDITS = 500
"""Edits in one request that are shown as a diff; a request with more is shown as JSON."""


@dataclass(frozen=True, slots=True)
class RunCommand:
    command: str
    description: str
    timeout_ms: float | None
    background: bool
    extra: Json
    """Everything else in the input. Every action keeps it, because a person must see all that will run."""


@dataclass(frozen=True, slots=True)
class Replacement:
    old: str
    new: str
    everywhere: bool


@dataclass(frozen=True, slots=True)
class EditFile:
    path: str
    replacements: tuple[Replacement, ...]
    extra: Json


@dataclass(frozen=True, slots=True)
class WriteFile:
    path: str
    content: str
    extra: Json


@dataclass(frozen=True, slots=True)
class EditCell:
    """A change of one cell of a notebook."""

    path: str
    cell: str
    source: str
    kind: str
    mode: str
    """`replace`, `insert` or `delete`."""
    extra: Json


@dataclass(frozen=True, slots=True)
class ReadFile:
    path: str
    extra: Json


@dataclass(frozen=True, slots=True)
class FetchPage:
    url: str
    prompt: str
    extra: Json


@dataclass(frozen=True, slots=True)
class CallMcp:
    server: str
    tool: str
    arguments: Json


@dataclass(frozen=True, slots=True)
class AskQuestions:
    questions: tuple[Question, ...]


@dataclass(frozen=True, slots=True)
class ProposePlan:
    plan: str
    """Markdown; empty if Claude included none."""
    extra: Json


@dataclass(frozen=True, slots=True)
class UseTool:
    """An unknown tool, or an input that does not fit its tool."""

    tool: str
    arguments: Json


Change = EditFile | WriteFile | EditCell
Action = RunCommand | Change | ReadFile | FetchPage | CallMcp | AskQuestions | ProposePlan | UseTool


def read(tool_name: str, given: Json) -> Action:
    """Parse a tool's input. An input that does not fit the tool is shown as JSON; nothing is guessed."""
    fields = _Fields(given)
    reader = _READERS.get(tool_name)
    action = reader(fields) if reader else _mcp(tool_name, given)
    return action if action is not None and not fields.invalid else UseTool(tool_name, given)


def _command(fields: "_Fields") -> RunCommand:
    return RunCommand(
        fields.text("command"),
        fields.text("description", ""),
        fields.number("timeout"),
        fields.flag("run_in_background"),
        fields.rest(),
    )


def _edit(fields: "_Fields") -> EditFile:
    return EditFile(fields.text("file_path"), (_replacement(fields),), fields.rest())


def _edits(fields: "_Fields") -> EditFile:
    edits = fields.objects("edits")
    replacements = tuple(_replacement(edit) for edit in edits)
    fields.invalid |= any(edit.invalid or edit.rest() for edit in edits)
    return EditFile(fields.text("file_path"), replacements, fields.rest())


def _replacement(fields: "_Fields") -> Replacement:
    return Replacement(fields.text("old_string"), fields.text("new_string"), fields.flag("replace_all"))


def _write(fields: "_Fields") -> WriteFile:
    return WriteFile(fields.text("file_path"), fields.text("content"), fields.rest())


def _cell(fields: "_Fields") -> EditCell:
    return EditCell(
        fields.text("notebook_path"),
        fields.text("cell_id", ""),
        fields.text("new_source", ""),
        fields.one_of("cell_type", "", "code", "markdown"),
        fields.one_of("edit_mode", "replace", "insert", "delete"),
        fields.rest(),
    )


def _file(fields: "_Fields") -> ReadFile:
    return ReadFile(fields.text("file_path"), fields.rest())


def _page(fields: "_Fields") -> FetchPage:
    return FetchPage(fields.text("url"), fields.text("prompt", ""), fields.rest())


def _questions(fields: "_Fields") -> AskQuestions | None:
    found = questions.read(fields.raw)
    return AskQuestions(found) if found else None


def _plan(fields: "_Fields") -> ProposePlan:
    fields.text("planFilePath", "")  # added by the CLI, nothing to decide
    return ProposePlan(fields.text("plan", ""), fields.rest())


def _mcp(tool_name: str, given: Json) -> CallMcp | None:
    if not tool_name.startswith("mcp__") or tool_name.count("__") < 2:
        return None
    _, server, tool = tool_name.split("__", 2)
    return CallMcp(server, tool, given)


_READERS: Mapping[str, Callable[["_Fields"], Action | None]] = {
    "Bash": _command,
    "Edit": _edit,
    "MultiEdit": _edits,
    "Write": _write,
    "NotebookEdit": _cell,
    "Read": _file,
    "WebFetch": _page,
    "AskUserQuestion": _questions,
    "ExitPlanMode": _plan,
}


class _Fields:
    """Reads the fields of an input, and records whether one had the wrong type."""

    def __init__(self, raw: Json) -> None:
        self.raw = raw
        self.invalid = False
        self._keys_read: set[str] = set()

    def text(self, key: str, default: str | None = None) -> str:
        value = self._get(key, default)
        if isinstance(value, str):
            return value
        self.invalid = True
        return ""

    def one_of(self, key: str, *known: str) -> str:
        """Read one of the known words; the first is the default."""
        value = self.text(key, known[0])
        self.invalid |= value not in known
        return value

    def flag(self, key: str) -> bool:
        value = self._get(key, default=False)
        self.invalid |= not isinstance(value, bool)
        return value is True

    def number(self, key: str) -> float | None:
        value = self._get(key, None)
        if isinstance(value, bool) or not isinstance(value, int | float | None):
            self.invalid = True
            return None
        return value

    def objects(self, key: str) -> "tuple[_Fields, ...]":
        value = self._get(key, None)
        if isinstance(value, list) and 0 < len(value) <= MAX_EDITS and all(isinstance(item, dict) for item in value):
            return tuple(_Fields(item) for item in value)
        self.invalid = True
        return ()

    def rest(self) -> Json:
        return {key: value for key, value in self.raw.items() if key not in self._keys_read}

    def _get(self, key: str, default: object) -> object:
        self._keys_read.add(key)
        return self.raw.get(key, default)
