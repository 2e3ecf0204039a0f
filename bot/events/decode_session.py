"""Decodes events about the session: its start, mode, retries and rate limits."""

from bot.events.fields import Raw, integer, mapping, mappings, number, string, string_or_none, strings
from bot.events.session_events import ApiRetry, Compacted, Init, McpServer, RateLimit, Remark, StatusChange


def init(raw: Raw) -> Init:
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


def status(raw: Raw) -> StatusChange:
    mode, error = string_or_none(raw, "permissionMode"), string(raw, "compact_error")
    return StatusChange(string_or_none(raw, "status"), mode, error)


def compacted(raw: Raw) -> Compacted:
    about = mapping(raw, "compact_metadata")
    return Compacted(string(about, "trigger"), integer(about, "pre_tokens"), integer(about, "post_tokens"))


def api_retry(raw: Raw) -> ApiRetry:
    status = number(raw, "error_status")
    return ApiRetry(
        attempt=integer(raw, "attempt"),
        max_retries=integer(raw, "max_retries"),
        delay_ms=number(raw, "retry_delay_ms") or 0,
        status=None if status is None else int(status),
        error=string(raw, "error"),
    )


def remark(raw: Raw) -> Remark:
    text = string(raw, "content") or string(raw, "text")
    return Remark(text, string(raw, "level") or "notice", strings(raw, "retracted_message_uuids"))


def rate_limit(raw: Raw) -> RateLimit:
    info = mapping(raw, "rate_limit_info")
    return RateLimit(
        status=string(info, "status"),
        kind=string(info, "rateLimitType"),
        resets_at=number(info, "resetsAt"),
        utilization=number(info, "utilization"),
    )
