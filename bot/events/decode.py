"""Decodes a line of the CLI's stdout into an event. No line can make this fail."""

import json
from collections.abc import Callable
from typing import Any

from bot.events import decode_messages, decode_session, decode_stream, decode_tasks
from bot.events.event import ControlResponse, Event, Garbage, Unknown
from bot.events.fields import Raw, mapping, string
from bot.events.session_events import CommandOutput

_MAX_GARBAGE = 2000  # characters, enough to recognize the line


def decode(line: bytes) -> Event:
    """Decode one line. Return `Unknown` for an unknown event, and `Garbage` if the line is not a JSON object."""
    if not line.startswith(b"{"):
        return _to_garbage(line)
    try:
        raw = json.loads(line.decode("utf-8", "replace"))
        if b"\\ud" in line or b"\\uD" in line:
            raw = _without_surrogates(raw)
    except (ValueError, RecursionError):
        return _to_garbage(line)
    kind = raw.get("type")
    reader = _READERS.get(kind) if isinstance(kind, str) else None
    return Unknown(str(kind), raw) if reader is None else reader(raw)


def _to_garbage(line: bytes) -> Garbage:
    return Garbage(line[: _MAX_GARBAGE * 4].decode("utf-8", "replace")[:_MAX_GARBAGE])


def _without_surrogates(value: Any) -> Any:
    """Replace lone surrogates, which JSON may escape but UTF-8 can't encode."""
    match value:
        case str():
            return value.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
        case dict():
            return {_without_surrogates(key): _without_surrogates(item) for key, item in value.items()}
        case list():
            return [_without_surrogates(item) for item in value]
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
