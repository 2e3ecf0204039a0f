"""A line of the CLI's stdout, read into an event; nothing in a line can make this fail."""

import json
from collections.abc import Callable
from typing import Any

from bot.events.fields import (
    NOTHING,
    Raw,
    mapping,
    mappings,
    maybe_string,
    number,
    parent_of,
    string,
    strings,
    time_of,
    usage_of,
    whole,
)
from bot.events.types import (
    ApiRetry,
    Assistant,
    BackgroundTask,
    BackgroundTasks,
    Block,
    BlockStarted,
    BlockStopped,
    CommandOutput,
    Compacted,
    ControlResponse,
    Denial,
    Event,
    Garbage,
    Init,
    InputDelta,
    McpServer,
    MessageDelta,
    MessageStarted,
    MessageStopped,
    PermissionDenied,
    RateLimit,
    Remark,
    Result,
    StatusChange,
    TaskEnded,
    TaskProgress,
    TaskStarted,
    TaskUpdated,
    TextBlock,
    TextDelta,
    ThinkingBlock,
    ThinkingDelta,
    ToolProgress,
    ToolResult,
    ToolUse,
    Unknown,
    UnknownBlock,
    User,
)

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


# --- stream_event: most of the volume, so the commonest comes first


def _stream_event(raw: Raw) -> Event:
    event = mapping(raw, "event")
    kind = event.get("type")
    index = event.get("index")
    if isinstance(index, int):
        known = _block_event(kind, index, event, parent_of(raw))
    else:
        known = _message_event(kind, event, parent_of(raw))
    return Unknown(f"stream_event/{kind}", raw) if known is None else known


def _block_event(kind: Any, index: int, event: Raw, parent: str | None) -> Event | None:
    match kind:
        case "content_block_delta":
            return _delta(index, mapping(event, "delta"), parent)
        case "content_block_start":
            return BlockStarted(index, string(mapping(event, "content_block"), "type"), parent)
        case "content_block_stop":
            return BlockStopped(index, parent)
    return None


def _message_event(kind: Any, event: Raw, parent: str | None) -> Event | None:
    match kind:
        case "message_start":
            message = mapping(event, "message")
            return MessageStarted(string(message, "id"), string(message, "model"), usage_of(message), parent)
        case "message_delta":
            output = whole(mapping(event, "usage"), "output_tokens")
            return MessageDelta(maybe_string(mapping(event, "delta"), "stop_reason"), output, parent)
        case "message_stop":
            return MessageStopped(parent)
    return None


def _delta(index: int, delta: Raw, parent: str | None) -> Event | None:
    match delta.get("type"):
        case "text_delta":
            return TextDelta(index, string(delta, "text"), parent)
        case "input_json_delta":
            return InputDelta(index, string(delta, "partial_json"), parent)
        case "thinking_delta":
            return ThinkingDelta(index, string(delta, "thinking"), parent)
    return None


# --- assistant and user


def _assistant(raw: Raw) -> Event:
    message = mapping(raw, "message")
    content = message.get("content")
    if isinstance(content, str):
        blocks: tuple[Block, ...] = (TextBlock(content),)
    else:
        blocks = tuple(map(_block, content)) if isinstance(content, list) else ()
    return Assistant(
        message_id=string(message, "id"),
        model=string(message, "model"),
        blocks=blocks,
        usage=usage_of(message),
        parent=parent_of(raw),
        error=string(raw, "error"),
        uuid=string(raw, "uuid"),
        supersedes=strings(raw, "supersedes"),
        at=time_of(raw),
    )


def _block(block: Any) -> Block:
    if not isinstance(block, dict):
        return UnknownBlock("", block)
    match block.get("type"):
        case "text":
            return TextBlock(string(block, "text"))
        case "thinking":
            return ThinkingBlock(string(block, "thinking"))
        case "tool_use" if string(block, "id"):
            return ToolUse(string(block, "id"), string(block, "name"), mapping(block, "input"))
        case kind:
            return UnknownBlock(str(kind), block)


def _user(raw: Raw) -> Event:
    content = mapping(raw, "message").get("content")
    if isinstance(content, str):
        return User((), content, parent_of(raw), string(raw, "uuid"), time_of(raw))
    blocks = [block for block in content if isinstance(block, dict)] if isinstance(content, list) else []
    outcomes = [block for block in blocks if block.get("type") == "tool_result"]
    meta = {string(entry, "id"): entry for entry in mappings(raw, "tool_result_meta")}
    # The structured output stands beside the message, so it can only belong to an only result.
    structured = raw.get("tool_use_result") if len(outcomes) == 1 else None
    results = tuple(
        _tool_result(block, structured, meta.get(string(block, "tool_use_id"), NOTHING)) for block in outcomes
    )
    text = "\n".join(string(block, "text") for block in blocks if block.get("type") == "text")
    return User(results, text, parent_of(raw), string(raw, "uuid"), time_of(raw))


def _tool_result(block: Raw, structured: Any, meta: Raw) -> ToolResult:
    content = block.get("content")
    if not isinstance(content, str):
        content = "\n".join(string(part, "text") for part in mappings(block, "content") if "text" in part)
    return ToolResult(
        tool_use_id=string(block, "tool_use_id"),
        is_error=block.get("is_error") is True,
        text=content,
        structured=structured,
        decision=string(mapping(meta, "permission_decision"), "decision"),
        unrun=string(meta, "non_execution_kind"),
    )


def _result(raw: Raw) -> Event:
    models = mapping(raw, "modelUsage")
    status = number(raw, "api_error_status")
    return Result(
        subtype=string(raw, "subtype"),
        is_error=raw.get("is_error") is True,
        text=string(raw, "result"),
        num_turns=whole(raw, "num_turns"),
        duration_ms=number(raw, "duration_ms") or 0,
        cost=number(raw, "total_cost_usd"),
        usage=usage_of(raw),
        context_windows={
            name: whole(model, "contextWindow") for name, model in models.items() if isinstance(model, dict)
        },
        denials=tuple(
            Denial(string(denial, "tool_use_id"), string(denial, "tool_name"))
            for denial in mappings(raw, "permission_denials")
        ),
        terminal_reason=string(raw, "terminal_reason"),
        errors=strings(raw, "errors"),
        api_status=None if status is None else int(status),
    )


# --- system


def _system(raw: Raw) -> Event:
    subtype = string(raw, "subtype")
    reader = _SYSTEM_READERS.get(subtype)
    return Unknown(f"system/{subtype}", raw) if reader is None else reader(raw)


def _init(raw: Raw) -> Event:
    return Init(
        session_id=string(raw, "session_id"),
        cwd=string(raw, "cwd"),
        model=string(raw, "model"),
        permission_mode=string(raw, "permissionMode"),
        tools=strings(raw, "tools"),
        mcp_servers=tuple(
            McpServer(string(server, "name"), string(server, "status")) for server in mappings(raw, "mcp_servers")
        ),
        slash_commands=strings(raw, "slash_commands"),
    )


def _status(raw: Raw) -> Event:
    mode, error = maybe_string(raw, "permissionMode"), string(raw, "compact_error")
    return StatusChange(maybe_string(raw, "status"), mode, error)


def _compacted(raw: Raw) -> Event:
    about = mapping(raw, "compact_metadata")
    return Compacted(string(about, "trigger"), whole(about, "pre_tokens"), whole(about, "post_tokens"))


def _api_retry(raw: Raw) -> Event:
    status = number(raw, "error_status")
    return ApiRetry(
        attempt=whole(raw, "attempt"),
        max_retries=whole(raw, "max_retries"),
        delay_ms=number(raw, "retry_delay_ms") or 0,
        status=None if status is None else int(status),
        error=string(raw, "error"),
    )


def _remark(raw: Raw) -> Event:
    text = string(raw, "content") or string(raw, "text")
    return Remark(text, string(raw, "level") or "notice", strings(raw, "retracted_message_uuids"))


def _permission_denied(raw: Raw) -> Event:
    return PermissionDenied(string(raw, "tool_use_id"), string(raw, "tool_name"), string(raw, "message"))


def _task_started(raw: Raw) -> Event:
    return TaskStarted(
        task_id=string(raw, "task_id"),
        tool_use_id=string(raw, "tool_use_id"),
        description=string(raw, "description"),
        kind=string(raw, "task_type"),
        backgrounded=raw.get("is_backgrounded") is True,
        ambient=_ambient(raw),
    )


def _ambient(raw: Raw) -> bool:
    return raw.get("ambient") is True or raw.get("skip_transcript") is True


def _task_progress(raw: Raw) -> Event:
    return TaskProgress(
        task_id=string(raw, "task_id"),
        tool_use_id=string(raw, "tool_use_id"),
        description=string(raw, "description"),
        tool_uses=whole(mapping(raw, "usage"), "tool_uses"),
        summary=string(raw, "summary"),
    )


def _task_updated(raw: Raw) -> Event:
    patch = mapping(raw, "patch")
    moved = patch.get("is_backgrounded")
    return TaskUpdated(
        task_id=string(raw, "task_id"),
        status=string(patch, "status"),
        error=string(patch, "error"),
        backgrounded=moved if isinstance(moved, bool) else None,
    )


def _task_ended(raw: Raw) -> Event:
    usage = mapping(raw, "usage")
    return TaskEnded(
        task_id=string(raw, "task_id"),
        tool_use_id=string(raw, "tool_use_id"),
        status=string(raw, "status"),
        summary=string(raw, "summary"),
        tool_uses=whole(usage, "tool_uses") if usage else None,
        duration_ms=number(usage, "duration_ms"),
        ambient=_ambient(raw),
    )


def _background_tasks(raw: Raw) -> Event:
    return BackgroundTasks(
        tuple(
            BackgroundTask(string(task, "task_id"), string(task, "task_type"), string(task, "description"))
            for task in mappings(raw, "tasks")
            if not _ambient(task)
        )
    )


# --- the rest


def _rate_limit(raw: Raw) -> Event:
    info = mapping(raw, "rate_limit_info")
    return RateLimit(
        status=string(info, "status"),
        kind=string(info, "rateLimitType"),
        resets_at=number(info, "resetsAt"),
        utilization=number(info, "utilization"),
    )


def _tool_progress(raw: Raw) -> Event:
    return ToolProgress(string(raw, "tool_use_id"), number(raw, "elapsed_time_seconds") or 0, parent_of(raw))


def _control_response(raw: Raw) -> Event:
    response = mapping(raw, "response")
    ok = response.get("subtype") == "success"
    return ControlResponse(string(response, "request_id"), ok, mapping(response, "response"), string(response, "error"))


_SYSTEM_READERS: dict[str, Callable[[Raw], Event]] = {
    "init": _init,
    "status": _status,
    "compact_boundary": _compacted,
    "api_retry": _api_retry,
    "informational": _remark,
    "notification": _remark,
    "model_refusal_fallback": _remark,
    "model_refusal_no_fallback": _remark,
    "local_command_output": lambda raw: CommandOutput(string(raw, "content")),
    "permission_denied": _permission_denied,
    "task_started": _task_started,
    "task_progress": _task_progress,
    "task_updated": _task_updated,
    "task_notification": _task_ended,
    "background_tasks_changed": _background_tasks,
}

_READERS: dict[str, Callable[[Raw], Event]] = {
    "stream_event": _stream_event,
    "assistant": _assistant,
    "user": _user,
    "result": _result,
    "system": _system,
    "rate_limit_event": _rate_limit,
    "tool_progress": _tool_progress,
    "control_response": _control_response,
}
