"""Reads a line of the CLI's stdout into an event; nothing in a line can make this fail."""

import json
from collections.abc import Callable
from typing import Any

from bot.events import decode_messages, decode_session, decode_stream, decode_tasks
from bot.events.event import ControlResponse, Event, Garbage, Unknown
from bot.events.fields import Raw, mapping, string
from bot.events.session_events import CommandOutput

_GARBAGE_KEPT = 2000  # characters; enough to see what it is


def decode(line: bytes) -> Event:
    """Read one line. What is not known comes back as `Unknown`, what is no JSON object as `Garbage`."""
    if not line.startswith(b"{"):
        return _garbage(line)
    try:
        raw = json.loads(line.decode("utf-8", "replace"))
        if b"\\ud" in line or b"\\uD" in line:
            raw = _whole_characters(raw)
    except (ValueError, RecursionError):
        return _garbage(line)
    kind = raw.get("type")
    reader = _READERS.get(kind) if isinstance(kind, str) else None
    return Unknown(str(kind), raw) if reader is None else reader(raw)


def _garbage(line: bytes) -> Garbage:
    return Garbage(line[: _GARBAGE_KEPT * 4].decode("utf-8", "replace")[:_GARBAGE_KEPT])


def _whole_characters(value: Any) -> Any:
    """Replace halves of characters, which no UTF-8 can carry: JSON may escape one half of a pair."""
    match value:
        case str():
            return value.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
        case dict():
            return {_whole_characters(key): _whole_characters(item) for key, item in value.items()}
        case list():
            return [_whole_characters(item) for item in value]
        case _:
            return value


def _system(raw: Raw) -> Event:
    subtype = string(raw, "subtype")
    reader = _SYSTEM_READERS.get(subtype)
    return Unknown(f"system/{subtype}", raw) if reader is None else reader(raw)


def _control_response(raw: Raw) -> Event:
    response = mapping(raw, "response")
    ok = response.get("subtype") == "success"
    return ControlResponse(string(response, "request_id"), ok, mapping(response, "response"), string(response, "error"))


_SYSTEM_READERS: dict[str, Callable[[Raw], Event]] = {
    "init": decode_session.init,
    "status": decode_session.status,
    "compact_boundary": decode_session.compacted,
    "api_retry": decode_session.api_retry,
    "informational": decode_session.remark,
    "notification": decode_session.remark,
    "model_refusal_fallback": decode_session.remark,
    "model_refusal_no_fallback": decode_session.remark,
    "local_command_output": lambda raw: CommandOutput(string(raw, "content")),
    "permission_denied": decode_messages.permission_denied,
    "task_started": decode_tasks.task_started,
    "task_progress": decode_tasks.task_progress,
    "task_updated": decode_tasks.task_updated,
    "task_notification": decode_tasks.task_ended,
    "background_tasks_changed": decode_tasks.background_tasks,
}

_READERS: dict[str, Callable[[Raw], Event]] = {
    "stream_event": decode_stream.stream_event,
    "assistant": decode_messages.assistant,
    "user": decode_messages.user,
    "result": decode_messages.result,
    "system": _system,
    "rate_limit_event": decode_session.rate_limit,
    "tool_progress": decode_messages.tool_progress,
    "control_response": _control_response,
}
