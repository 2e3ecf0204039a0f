"""Reads fields of JSON from another program. A field that is missing or has the wrong type is empty."""

import math
from collections.abc import Mapping
from datetime import datetime
from typing import Any

from bot.events.usage import Usage

Raw = Mapping[str, Any]
EMPTY: dict[str, Any] = {}


def string(raw: Raw, key: str) -> str:
    value = raw.get(key)
    return value if isinstance(value, str) else ""


def string_or_none(raw: Raw, key: str) -> str | None:
    value = raw.get(key)
    return value if isinstance(value, str) and value else None


def number(raw: Raw, key: str) -> float | None:
    value = raw.get(key)
    if isinstance(value, bool) or not isinstance(value, int | float) or abs(value) > 1e18:
        return None
    return value if math.isfinite(value) else None


def integer(raw: Raw, key: str) -> int:
    return int(number(raw, key) or 0)


def mapping(raw: Raw, key: str) -> dict[str, Any]:
    value = raw.get(key)
    return value if isinstance(value, dict) else EMPTY


def mappings(raw: Raw, key: str) -> list[dict[str, Any]]:
    value = raw.get(key)
    return [item for item in value if isinstance(item, dict)] if isinstance(value, list) else []


def strings(raw: Raw, key: str) -> tuple[str, ...]:
    value = raw.get(key)
    return tuple(item for item in value if isinstance(item, str)) if isinstance(value, list) else ()


def usage_of(raw: Raw) -> Usage:
    usage = mapping(raw, "usage")
    return Usage(
        input_tokens=integer(usage, "input_tokens"),
        output_tokens=integer(usage, "output_tokens"),
        cache_read=integer(usage, "cache_read_input_tokens"),
        cache_creation=integer(usage, "cache_creation_input_tokens"),
    )


def time_of(raw: Raw) -> float | None:
    try:
        return datetime.fromisoformat(string(raw, "timestamp")).timestamp()
    except (ValueError, OverflowError, OSError):
        return None


def parent_of(raw: Raw) -> str | None:
    return string_or_none(raw, "parent_tool_use_id")
