"""Draws a tool call as one line in small print: what Claude is doing, and the outcome."""

import re
from collections.abc import Callable
from pathlib import PurePosixPath, PureWindowsPath
from typing import Any

from bot.masking import mask
from bot.permission_requests import urls
from bot.text.bidi import left_to_right
from bot.text.code_block import inline_code
from bot.text.count import count
from bot.text.duration import duration
from bot.text.escape import discord_markdown, escape_fences, one_line
from bot.text.hidden_characters import show_hidden
from bot.text.split import Fence, TextLine
from bot.text.truncate import truncate, utf16_length
from bot.transcript import CallState, LookupGroup, ToolCall

_ANSI = re.compile(r"\x1b(?:\[[0-?]*[ -/]*[@-~]|\][^\x07\x1b]*(?:\x07|\x1b\\)|[@-Z\\-_])")
_MAX_SUBJECT = 90  # characters of a path or a command: two lines on a phone
_MAX_TAIL = 700  # characters of a failed command's output
_SHELLS = frozenset({"Bash", "PowerShell"})
_SLOW = _SHELLS | {"WebFetch", "WebSearch", "BashOutput", "TaskOutput"}
UNSETTLED = frozenset({CallState.NEXT, CallState.RUNNING})
_FEW = 3  # up to this many reads and searches get a line each


def tool_lines(call: ToolCall, cwd: str, *, asking: bool = False) -> list[TextLine]:
    """Return the line of a call, and the end of its output if it failed."""
    clock = f" · started <t:{int(call.started_at)}:R>" if not asking and _shows_start_time(call) else ""
    first = TextLine(f"-# {tool_sentence(call, cwd, asking=asking)}{clock}", may_start_message=True)
    if call.state is not CallState.FAILED or call.outcome.exit_code is None or not call.outcome.tail.strip():
        return [first]
    fence = Fence()
    tail = output_lines(call.outcome.tail, _MAX_TAIL)
    above = call.outcome.cut + call.outcome.tail.count("\n") + 1 - len(tail)
    note = [TextLine(f"… {above} lines above", fence)] if above > 0 else []
    return [first, *note, *(TextLine(text, fence) for text in tail)]


def lookup_lines(group: LookupGroup, cwd: str, is_asked: Callable[[ToolCall], bool]) -> list[TextLine]:
    """Draw consecutive reads and searches: a line each if there are few, otherwise only their counts."""
    if len(group.calls) <= _FEW:
        return [line for call in group.calls for line in tool_lines(call, cwd, asking=is_asked(call))]
    words = []
    files = group.counts["Read"] + group.counts["NotebookRead"]
    searches = group.counts["Grep"]
    lists = group.counts["Glob"] + group.counts["LS"]
    if files:
        words.append(f"read {count(files, 'file')}")
    if searches:
        words.append(f"searched {_times(searches)}")
    if lists:
        words.append(f"listed files {_times(lists)}")
    text = ", ".join(words)
    failed = f" · {group.failed} failed" if group.failed else ""
    now = f" · now {_subject(group.calls[-1], cwd)}" if group.running else ""
    return [TextLine(f"-# {text[0].upper()}{text[1:]}{failed}{now}", may_start_message=True)]


def tool_sentence(call: ToolCall, cwd: str, *, asking: bool = False) -> str:
    """Describe what a call will do, is doing or did. `asking` means that it is waiting for approval."""
    running, done, subject = _WORDS.get(call.name, _OTHER)
    if asking and call.state in UNSETTLED:
        return f"⏸ {_subject(call, cwd) or running}"
    if call.state is CallState.NEXT:
        verb = f"{running[0].lower()}{running[1:]} " if done else ""  # a command needs no verb
        return f"Next: {verb}{subject(call, cwd)}".strip()
    if call.state is CallState.RUNNING:
        return f"{running} {subject(call, cwd)}".strip()
    by_rule = f" · by rule {inline_code(call.rule, _MAX_SUBJECT)}" if call.rule else ""
    edited = " · edited" if call.edited else ""
    return f"{done} {subject(call, cwd)}".strip() + _outcome(call) + edited + by_rule


def _shows_start_time(call: ToolCall) -> bool:
    """Check whether a call can take so long that its start time is worth showing."""
    slow = call.name in _SLOW or call.name.startswith("mcp__")
    return call.state is CallState.RUNNING and slow and call.started_at > 0


def output_lines(text: str, limit: int) -> list[str]:
    """Return the last lines of a program's output that fit, without colours."""
    text = mask(_ANSI.sub("", text))
    text = escape_fences(left_to_right(show_hidden(text.replace("\r\n", "\n").replace("\t", "    "))))
    taken: list[str] = []
    for line in reversed(text.split("\n")):
        if limit <= 1:
            break
        shown = truncate(line, limit)
        limit -= utf16_length(shown) + 1
        taken.append(shown)
    return taken[::-1]


def _times(count: int) -> str:
    return {1: "once", 2: "twice"}.get(count, f"{count} times")


# --- the words of a line


def _subject(call: ToolCall, cwd: str) -> str:
    return _WORDS.get(call.name, _OTHER)[2](call, cwd)


def _outcome(call: ToolCall) -> str:
    match call.state:
        case CallState.DENIED:
            return " · denied"
        case CallState.STOPPED:
            return " · stopped"
        case CallState.BACKGROUND:
            return " · in the background"
        case CallState.FAILED:
            return _failure(call)
    return _summary(call)


def _failure(call: ToolCall) -> str:
    if call.outcome.exit_code is not None:
        took = _duration(call)
        return f" ✗ exit {call.outcome.exit_code}" + (f" ·{took}" if took else "")
    why = next((line for line in call.outcome.tail.splitlines() if line.strip()), "")
    return f" ✗ {discord_markdown(truncate(one_line(why), 150))}".rstrip()


def _summary(call: ToolCall) -> str:
    outcome = call.outcome
    if call.name in _SHELLS:
        return f" ✓{_duration(call)}"
    if outcome.added is not None:
        return f" +{outcome.added}" + (f" −{outcome.removed}" if outcome.removed else "")
    if call.name in {"Grep", "Glob"} and outcome.count is not None:
        return f" · {count(outcome.count, 'file')}"
    return ""


def _duration(call: ToolCall) -> str:
    took = (call.ended_at or 0) - call.started_at if call.started_at else 0
    return f" {duration(took)}" if took >= 1 else ""


# --- the subject of a call

Subject = Callable[[ToolCall, str], str]


def path_in(path: str, cwd: str) -> str:
    """Return a path relative to the project's folder if it is inside."""
    kind = PureWindowsPath if "\\" in cwd else PurePosixPath
    if cwd and path != cwd and kind(path).is_relative_to(cwd):
        return str(kind(path).relative_to(cwd))
    return path


def _string(call: ToolCall, key: str) -> str:
    value = call.input.get(key)
    return mask(value) if isinstance(value, str) else ""  # mask before cutting: half a secret is not recognized


def _code(text: str) -> str:
    if "`" not in text or "``" in text:
        return inline_code(text, _MAX_SUBJECT) if text.strip() else ""
    return f"`` {truncate(left_to_right(one_line(text)), _MAX_SUBJECT)} ``"


def _path(key: str) -> Subject:
    return lambda call, cwd: _code(path_in(_string(call, key), cwd))


def _field(key: str) -> Subject:
    return lambda call, _: _code(_string(call, key))


def _command(call: ToolCall, _: str) -> str:
    first, more, _rest = _string(call, "command").strip().partition("\n")
    return _code(f"$ {first}") + (" …" if more else "")


def _pattern(call: ToolCall, cwd: str) -> str:
    where = path_in(_string(call, "path"), cwd)
    return _code(_string(call, "pattern")) + (f" in {_code(where)}" if where and where != cwd else "")


def _address(call: ToolCall, _: str) -> str:
    url = _string(call, "url")
    address = urls.read(url)
    return _code(f"{address.host}{address.path}".rstrip("/") if address else url)


def _questions(call: ToolCall, _: str) -> str:
    questions: Any = call.input.get("questions")
    return count(len(questions), "question") if isinstance(questions, list) else "a question"


def _no_subject(_call: ToolCall, _cwd: str) -> str:
    return ""


def _tool_name(call: ToolCall, cwd: str) -> str:
    """Return the name of an unknown tool, with its first argument."""
    prefix, _, rest = call.name.partition("__")
    server, found, tool = rest.partition("__")
    name = f"{server}: {tool}" if prefix == "mcp" and found else call.name
    about = next((value for value in call.input.values() if isinstance(value, str) and value.strip()), "")
    shown = path_in(one_line(about), cwd)
    return _code(name or "a tool") + (f" {_code(truncate(shown, 50))}" if shown else "")


_OTHER: tuple[str, str, Subject] = ("Using", "Used", _tool_name)
_WORDS: dict[str, tuple[str, str, Subject]] = {
    "Read": ("Reading", "Read", _path("file_path")),
    "NotebookRead": ("Reading", "Read", _path("notebook_path")),
    "Edit": ("Editing", "Edit", _path("file_path")),
    "MultiEdit": ("Editing", "Edit", _path("file_path")),
    "NotebookEdit": ("Editing", "Edit", _path("notebook_path")),
    "Write": ("Writing", "Write", _path("file_path")),
    "LS": ("Listing", "Listed", _path("path")),
    "Glob": ("Finding", "Found", _pattern),
    "Grep": ("Searching for", "Searched for", _pattern),
    "Bash": ("Running", "", _command),
    "PowerShell": ("Running", "", _command),
    "BashOutput": ("Checking a background command", "Checked a background command", _no_subject),
    "TaskOutput": ("Checking a background task", "Checked a background task", _no_subject),
    "KillShell": ("Stopping a background command", "Stopped a background command", _no_subject),
    "TaskStop": ("Stopping a background task", "Stopped a background task", _no_subject),
    "WebFetch": ("Fetching", "Fetched", _address),
    "WebSearch": ("Searching the web for", "Searched the web for", _field("query")),
    "Skill": ("Using the skill", "Used the skill", _field("skill")),
    "ToolSearch": ("Searching for tools", "Searched for tools", _no_subject),
    "AskUserQuestion": ("Asking", "Asked", _questions),
    "EnterPlanMode": ("Starting to plan", "Started to plan", _no_subject),
    "ExitPlanMode": ("Proposing a plan", "Proposed a plan", _no_subject),
    "EnterWorktree": ("Opening a worktree", "Opened a worktree", _no_subject),
    "ExitWorktree": ("Leaving the worktree", "Left the worktree", _no_subject),
    "mcp__discord__send_file": ("Sending", "Sent", _path("path")),
}
