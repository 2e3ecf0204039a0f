"""Compares the shape of two streams, ignoring their words."""

from itertools import groupby
from typing import Any

from tests.fixtures.claude_process import Line

Shape = tuple[Any, ...]

RELIED_ON = {
    "system/init": {"cwd", "model", "tools", "mcp_servers", "permissionMode", "slash_commands", "claude_code_version"},
    "system/task_started": {"task_id", "tool_use_id", "description", "task_type"},
    "system/task_notification": {"task_id", "tool_use_id", "status", "summary"},
    "system/background_tasks_changed": {"tasks"},
    "system/api_retry": {"attempt", "max_retries", "retry_delay_ms", "error_status", "error"},
    "stream_event": {"event", "parent_tool_use_id"},
    "assistant": {"message", "parent_tool_use_id"},
    "user": {"message", "parent_tool_use_id"},
    "result": {
        "subtype",
        "is_error",
        "num_turns",
        "duration_ms",
        "total_cost_usd",
        "usage",
        "modelUsage",
        "permission_denials",
    },
}
"""The keys that the bot may read, by kind of line."""


def kind(line: Line) -> str:
    return f"system/{line['subtype']}" if line["type"] == "system" else str(line["type"])


def shape(line: Line) -> Shape:  # noqa: PLR0911 - a table
    """Reduce a line to the parts by which the bot distinguishes lines."""
    match line:
        case {"type": "stream_event", "event": dict(parts)}:
            inner: Line = parts.get("delta") or parts.get("content_block") or {}
            return ("event", parts["type"], inner.get("type"))
        case {"type": "assistant" | "user" as who, "message": {"content": [*blocks]}, "parent_tool_use_id": parent}:
            details = [(block["type"], block.get("name"), bool(block.get("is_error"))) for block in blocks]
            return (who, "subagent" if parent else "main", *details)
        case {"type": "assistant" | "user" as who}:
            return (who, "text")
        case {"type": "system", "subtype": "status"}:
            return ("status", line["status"], line.get("permissionMode"))
        case {"type": "result"}:
            return ("result", *(line.get(key) for key in ("subtype", "is_error", "terminal_reason", "num_turns")))
        case {"type": "control_response", "response": {"subtype": subtype}}:
            return ("control_response", subtype)
        case _:
            return (kind(line),)


def shapes(lines: list[Line]) -> list[Shape]:
    """Return the shapes of a stream; a text may be split into any number of deltas."""
    return [one for one, _ in groupby(shape(line) for line in lines)]


def missing(lines: list[Line]) -> set[str]:
    """Find keys that the bot relies on and a line doesn't have."""
    return {
        f"{kind(line)}: {key}"
        for line in lines
        for key in RELIED_ON.get(kind(line), set()) | {"session_id"}
        if key not in line and line["type"] != "control_response"
    }
