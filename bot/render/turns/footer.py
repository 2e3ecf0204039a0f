"""The footer of a turn's last message: its progress, or how it ended and its duration and cost."""

import re

from bot.events import RateLimit, Result
from bot.render.turns.usage_limit import limit_name
from bot.text.duration import duration
from bot.transcript import Turn, TurnProblem

_MODEL = re.compile(
    r"claude-(?P<family>[a-z]+)-(?P<major>\d+)(?:-(?P<minor>\d{1,2}))?(?:-\d{8})?(?:\[(?P<size>\w+)\])?\Z"
)
_OLD_MODEL = re.compile(r"claude-(?P<major>\d+)(?:-(?P<minor>\d+))?-(?P<family>[a-z]+)(?:-\d{8})?\Z")
_SHOW_RESET = 0.5  # share of a limit; below that, the time of its reset does not matter
_RETRIES = {
    "overloaded": "The API is overloaded",
    "rate_limit": "The API asked us to wait",
    "authentication_failed": "The API refused the login",
}


def running_footer(turn: Turn, *, waiting: int) -> str:
    """Return the footer of a running turn. Discord's clients keep its times up to date."""
    since = f" · started <t:{int(turn.started_at)}:R>" if turn.started_at else ""
    session = turn.session
    if waiting:
        return "-# ⏸ Waiting for you" + (f" · {waiting} open requests" if waiting > 1 else "")
    if retry := session.retrying:
        why = _RETRIES.get(retry.error, "The API did not answer" if retry.status is None else "The API failed")
        when = f" <t:{int(session.retry_at)}:R>" if session.retry_at > 1e6 else ""
        return f"-# {why}: trying again{when} ({retry.attempt} of {retry.max_retries})"
    if session.compacting:
        return f"-# Compacting the conversation{since}"
    return f"-# Working{since}"


def footer(turn: Turn) -> str:
    """Return the footer of an ended turn; empty if the line above already says how it ended."""
    result = turn.ended
    if result is None:
        return "" if turn.items and isinstance(turn.items[-1], TurnProblem) else "-# Stopped"
    words = [
        "Stopped" if result.stopped else "",
        model_name(turn.session.model),
        duration(result.duration_ms / 1000),
        f"{result.num_turns} steps" if result.num_turns > 1 else "",
        money(turn.cost),
        _context(turn, result),
        *(_limit(known) for known in turn.session.limits.values()),
    ]
    return "-# " + " · ".join(filter(None, words))


def outcome(turn: Turn) -> str:
    """Return in a few words how the turn ended, for the turn notice."""
    if turn.ended is None:
        return "Claude's process ended"
    if turn.ended.stopped:
        return "Stopped"
    return "Could not finish" if turn.ended.is_error else "Done"


def model_name(model: str) -> str:
    """Return the display name of a model: `Opus 4.5` for `claude-opus-4-5-20251101`."""
    known = _MODEL.match(model) or _OLD_MODEL.match(model)
    if known is None:
        return model[:40].replace("`", "")
    minor = f".{known['minor']}" if known["minor"] else ""
    return f"{known['family'].capitalize()} {known['major']}{minor}"


def money(cost: float | None) -> str:
    if not cost:
        return ""
    return f"${cost:.2f}" if cost >= 0.01 else "under $0.01"


def _context(turn: Turn, result: Result) -> str:
    window = result.context_windows.get(turn.session.model) or max(result.context_windows.values(), default=0)
    used = turn.session.context.context
    return f"context {min(used / window, 1):.0%}" if window and used else ""


def _limit(known: RateLimit) -> str:
    used = known.utilization
    share = None if used is None else used if used <= 1.5 else used / 100
    if known.status == "allowed" and share is None:
        return ""
    words = limit_name(known) + (f" {share:.0%}" if share is not None else " nearly reached")
    if known.status == "allowed" and share is not None and share < _SHOW_RESET:
        return words
    if known.status == "rejected":
        words = f"{limit_name(known)} reached"
    return words + (f", resets <t:{int(known.resets_at)}:R>" if known.resets_at else "")
