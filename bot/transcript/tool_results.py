"""Summarizes a tool's input and its result."""

import re
from collections.abc import Mapping
from typing import Any

from bot.events import ToolResult
from bot.transcript.items import CallState, ToolCall, ToolOutcome

_MAX_STRING = 1000  # characters of a string in a tool's input: a path, a command, a pattern
_MAX_TAIL_LINES = 12
_MAX_TAIL_CHARACTERS = 1200
_EXIT_CODE = re.compile(r"\AExit code (\d+)\n?")
_ERROR_TAGS = re.compile(r"\A(?:<tool_use_error>)?(?:Error: )?|</tool_use_error>")
_INTERRUPTED = "The user doesn't want to proceed with this tool use."  # the CLI always writes this, whoever interrupted


def shorten_input(tool_input: Mapping[str, Any]) -> dict[str, Any]:
    """Keep only what a line about the call can show."""
    return {
        key: value[:_MAX_STRING] if isinstance(value, str) else value
        for key, value in tool_input.items()
        if isinstance(value, str | int | float | list)
    }


def state_of(result: ToolResult) -> CallState:
    if result.decision == "reject":
        return CallState.DENIED
    if result.not_run or result.text.startswith(_INTERRUPTED):
        return CallState.STOPPED
    if result.is_error:
        return CallState.FAILED
    structured = result.structured
    if isinstance(structured, dict):
        if structured.get("interrupted") is True:
            return CallState.STOPPED
        if structured.get("backgroundTaskId") or structured.get("status") in {"async_launched", "remote_launched"}:
            return CallState.BACKGROUND
    return CallState.OK


def outcome_of(call: ToolCall, result: ToolResult) -> ToolOutcome:
    structured = result.structured if isinstance(result.structured, dict) else {}
    if result.is_error:
        exit_code = _EXIT_CODE.match(result.text)
        tail, cut = _tail(result.text[exit_code.end() :] if exit_code else _ERROR_TAGS.sub("", result.text))
        return ToolOutcome(exit_code=int(exit_code[1]) if exit_code else None, tail=tail, cut=cut)
    added, removed = _changed_lines(structured)
    count = next((n for key in ("numFiles", "numLines") if isinstance(n := structured.get(key), int)), None)
    if call.name == "Write" and added is None and structured.get("type") == "create":
        content = structured.get("content")
        added = content.count("\n") + (not content.endswith("\n")) if isinstance(content, str) and content else 0
    return ToolOutcome(added=added, removed=removed, count=count)


def _changed_lines(structured: Mapping[str, Any]) -> tuple[int | None, int | None]:
    hunks = structured.get("structuredPatch")
    if not isinstance(hunks, list) or not hunks:
        return None, None
    lines = [
        line
        for hunk in hunks
        if isinstance(hunk, dict) and isinstance(hunk.get("lines"), list)
        for line in hunk["lines"]
        if isinstance(line, str)
    ]
    return sum(line.startswith("+") for line in lines), sum(line.startswith("-") for line in lines)


def _tail(text: str) -> tuple[str, int]:
    """Return the last lines, and the number of lines before them."""
    text = text.strip("\n")
    end = text[-_MAX_TAIL_CHARACTERS:]
    if len(end) < len(text) and "\n" in end:
        end = end[end.index("\n") + 1 :]
    lines = end.split("\n")[-_MAX_TAIL_LINES:]
    return "\n".join(lines), text.count("\n") + 1 - len(lines)
