"""The message about a usage limit that is reached, and when it resets."""

import re

from bot.events import RateLimit
from bot.transcript import SessionStatus

_OLD_LIMIT = re.compile(r"limit reached\|(\d{9,11})")


def limit_message(text: str, session: SessionStatus) -> str:
    full = [limit for limit in session.limits.values() if limit.status == "rejected"]
    name = f"The {limit_name(full[0])} is reached" if full else "The usage limit is reached"
    at = limit_resets_at(text, session)
    if at is None:
        return f"**{name}.** Try again later."
    return f"**{name}.** It resets <t:{at}:R>, at <t:{at}:t>. Try again then."


def limit_resets_at(text: str, session: SessionStatus) -> int | None:
    """Return when the exceeded limit resets, if the CLI reported it."""
    old = _OLD_LIMIT.search(text)
    resets = [limit.resets_at for limit in session.limits.values() if limit.status == "rejected" and limit.resets_at]
    resets += [float(old[1])] if old else []
    return int(max(resets)) if resets else None


def limit_name(limit: RateLimit) -> str:
    match limit.kind:
        case "five_hour":
            return "5-hour limit"
        case "seven_day":
            return "weekly limit"
        case "seven_day_opus":
            return "weekly Opus limit"
        case "seven_day_sonnet":
            return "weekly Sonnet limit"
    return "usage limit"
