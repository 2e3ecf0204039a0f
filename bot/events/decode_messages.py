"""Decodes finished messages, tool results and the end of a turn."""

from typing import Any

from bot.events.fields import (
    EMPTY,
    Raw,
    integer,
    mapping,
    mappings,
    number,
    parent_of,
    string,
    strings,
    time_of,
    usage_of,
)
from bot.events.message_events import (
    Assistant,
    Block,
    Denial,
    PermissionDenied,
    Result,
    TextBlock,
    ThinkingBlock,
    ToolProgress,
    ToolResult,
    ToolUse,
    UnknownBlock,
    User,
)


def assistant(raw: Raw) -> Assistant:
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


def user(raw: Raw) -> User:
    content = mapping(raw, "message").get("content")
    if isinstance(content, str):
        return User((), content, parent_of(raw), string(raw, "uuid"), time_of(raw))
    blocks = [block for block in content if isinstance(block, dict)] if isinstance(content, list) else []
    outcomes = [block for block in blocks if block.get("type") == "tool_result"]
    meta = {string(entry, "id"): entry for entry in mappings(raw, "tool_result_meta")}
    # The structured output is outside the message, so it is only unambiguous if there is a single result.
    structured = raw.get("tool_use_result") if len(outcomes) == 1 else None
    results = tuple(
        _tool_result(block, structured, meta.get(string(block, "tool_use_id"), EMPTY)) for block in outcomes
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
        not_run=string(meta, "non_execution_kind"),
    )


def result(raw: Raw) -> Result:
    models = mapping(raw, "modelUsage")
    status = number(raw, "api_error_status")
    return Result(
        subtype=string(raw, "subtype"),
        is_error=raw.get("is_error") is True,
        text=string(raw, "result"),
        num_turns=integer(raw, "num_turns"),
        duration_ms=number(raw, "duration_ms") or 0,
        cost=number(raw, "total_cost_usd"),
        usage=usage_of(raw),
        context_windows={
            name: integer(model, "contextWindow") for name, model in models.items() if isinstance(model, dict)
        },
        denials=tuple(
            Denial(string(denial, "tool_use_id"), string(denial, "tool_name"))
            for denial in mappings(raw, "permission_denials")
        ),
        terminal_reason=string(raw, "terminal_reason"),
        errors=strings(raw, "errors"),
        api_status=None if status is None else int(status),
    )


def permission_denied(raw: Raw) -> PermissionDenied:
    return PermissionDenied(string(raw, "tool_use_id"), string(raw, "tool_name"), string(raw, "message"))


def tool_progress(raw: Raw) -> ToolProgress:
    return ToolProgress(string(raw, "tool_use_id"), number(raw, "elapsed_time_seconds") or 0, parent_of(raw))
