"""The reply to `/context`."""

from collections.abc import Mapping
from typing import Any

from bot.text.escape import escape_markdown, one_line
from bot.text.truncate import truncate

_WIDTH = 20


def context_reply(usage: Mapping[str, Any]) -> str:
    """Show how full the context is, and what uses it."""
    used, most = _number(usage.get("totalTokens")), _number(usage.get("maxTokens"))
    if not most:
        return "Claude doesn't report how full its context is."
    share = min(used / most, 1.0)
    filled = round(share * _WIDTH)
    lines = [
        f"**Context {share:.0%}** · {used:,.0f} of {most:,.0f} tokens",
        f"`{'█' * filled}{'░' * (_WIDTH - filled)}`",
    ]
    categories = usage.get("categories")
    for category in categories if isinstance(categories, list) else ():
        match category:
            case {"name": str(name), "tokens": int(tokens)} if tokens and category.get("kind", "used") == "used":
                lines.append(f"-# {escape_markdown(truncate(one_line(name), 60))}: {tokens:,}")
    return "\n".join(lines[:20])


def _number(value: object) -> float:
    return float(value) if isinstance(value, int | float) else 0.0
