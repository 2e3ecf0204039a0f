"""Fields of JSON that another program wrote: what is missing or of the wrong shape is simply empty."""

import math
from collections.abc import Mapping
from datetime import datetime
from typing import Any

from bot.events.usage import Usage

Raw = Mapping[str, Any]
NOTHING: dict[str, Any] = {}


def string(raw: Raw, key: str) -> str:
    value = raw.get(key)
    return value if isinstance(value, str) else ""


def maybe_string(raw: Raw, key: str) -> str | None:
    value = raw.get(key)
    return value if isinstance(value, str) and value else None


def number(raw: Raw, key: str) -> float | None:
    value = raw.get(key)
    if isinstance(value, bool) or not isinstance(value, int | float) or abs(value) > 1e18:
        return None
    return value if math.isfinite(value) else None


def whole(raw: Raw, key: str) -> int:
    return int(number(raw, key) or 0)


def mapping(raw: Raw, key: str) -> dict[str, Any]:
    value = raw.get(key)
    return value if isinstance(value, dict) else NOTHING


def mappings(raw: Raw, key: str) -> list[dict[str, Any]]:
    value = raw.get(key)
    return [item for item in value if isinstance(item, dict)] if isinstance(value, list) else []


def strings(raw: Raw, key: str) -> tuple[str, ...]:
    value = raw.get(key)
    return tuple(item for item in value if isinstance(item, str)) if isinstance(value, list) else ()


def usage_of(raw: Raw) -> Usage:
    usage = mapping(raw, "usage")
    return Usage(
        input_tokens=whole(usage, "input_tokens"),
        output_tokens=whole(usage, "output_tokens"),
        cache_read=whole(usage, "cache_read_input_tokens"),
        cache_creation=whole(usage, "cache_creation_input_tokens"),
    )


def time_of(raw: Raw) -> float | None:
    try:
        return datetime.fromisoformat(string(raw, "timestamp")).timestamp()
    except (ValueError, OverflowError, OSError):
        return None


def parent_of(raw: Raw) -> str | None:
    return maybe_string(raw, "parent_tool_use_id")
