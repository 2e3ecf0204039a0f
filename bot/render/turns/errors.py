"""Error messages: what happened, and what to do about it."""

import re
import signal

from bot.events import ExitCause, ProcessExit, RateLimit
from bot.render.turns.tool_lines import output_lines
from bot.text.escape import escape_markdown, one_line
from bot.text.split import BODY
from bot.text.truncate import truncate
from bot.transcript import SessionStatus, TurnProblem

_LOGIN = "Run `claude` in a terminal on that machine, type `/login`, then send another message."
_OLD_LIMIT = re.compile(r"limit reached\|(\d{9,11})")
_MAX_STDERR = 900

_ADVICE = {
    "authentication_failed": f"**Claude is not logged in.** {_LOGIN}",
    "invalid_key": f"**Claude's API key is not valid.** Correct or remove it on that machine. {_LOGIN}",
    "oauth_org_not_allowed": f"**This organization may not use Claude Code.** Log in with another account. {_LOGIN}",
    "account_on_hold": "**The account is on hold.** Its owner needs to resolve this at claude.ai.",
    "verification_required": f"**The account must be verified first.** {_LOGIN}",
    "cloud_credential_error": "**The cloud provider rejected the credentials.** Renew them on that machine.",
    "billing_error": "**The account has no credit left.** Add credit in its billing settings, then try again.",
    "overloaded": "**Claude's API is overloaded.** This usually passes. Try again in a few minutes.",
    "server_error": "**Claude's API failed.** This usually passes. Try again in a moment.",
    "model_not_found": "**This model is not available to this account.** Choose another with `/model`.",
    "max_output_tokens": "**The answer reached the model's length limit.** Ask for it in parts.",
    "prompt_too_long": "**The conversation no longer fits in the context.** Run `/compact`, or start over with `/new`.",
    "error_max_turns": "**Claude reached the step limit for one turn.** Write “continue” to let it finish.",
    "max_turns": "**Claude reached the step limit for one turn.** Write “continue” to let it finish.",
    "error_max_budget_usd": "**The budget for this run is used up.** Raise it in the configuration to continue.",
    "budget_exhausted": "**The budget for this run is used up.** Raise it in the configuration to continue.",
    "image_error": "**Claude could not read an image.** Send a smaller one or a different format.",
    "stop_hook_prevented": "**One of your hooks stopped Claude.**",
    "hook_stopped": "**One of your hooks stopped Claude.**",
}

_EXIT_ADVICE = {
    ExitCause.LOGGED_OUT: _LOGIN,
    ExitCause.NOT_FOUND: "Check that `claude` and the project's folder still exist, then send another message.",
}

_KINDS_BY_WORDS = {
    "prompt is too long": "prompt_too_long",
    "overloaded": "overloaded",
    "credit balance": "billing_error",
    "limit reached": "rate_limit",
    "hit your": "rate_limit",
    "invalid api key": "invalid_key",
    "/login": "authentication_failed",
}


def error_message(problem: TurnProblem, session: SessionStatus) -> str:
    """Return what happened and what to do about it, with the CLI's own message below in small print."""
    if problem.kind == "died":
        return problem.text
    text, kind = problem.text, error_kind(problem)
    if kind == "rate_limit":
        advice = _limit(text, session)
    else:
        advice = _ADVICE.get(kind, "**Claude could not finish.** Send a message to continue from here.")
    said = escape_markdown(one_line(text))
    return f"⚠️ {advice}" + (f"\n-# {truncate(said, 600)}" if said else "")


def error_kind(problem: TurnProblem) -> str:
    """Return the kind of a problem. Older versions of the CLI only report it in the text of the message."""
    text = problem.text.lower()
    return next((kind for words, kind in _KINDS_BY_WORDS.items() if words in text), problem.kind)


def _limit(text: str, session: SessionStatus) -> str:
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


def process_died(end: ProcessExit) -> str:
    """Return the message for a process that ended during a turn, with the end of its stderr."""
    advice = _EXIT_ADVICE.get(end.cause, "The session is kept. Send a message to continue.")
    sentence = f"⚠️ **Claude's process ended in the middle of the turn{_status(end.status)}.** {advice}"
    lines = output_lines(end.stderr.strip("\n")[-4000:], _MAX_STDERR) if end.stderr.strip() else []
    tail = "\n```\n" + "\n".join(lines[-12:]) + "\n```" if lines else ""
    return truncate(sentence, BODY) + tail


def _status(exit_status: int | None) -> str:
    if exit_status is None:
        return ""
    if exit_status < 0 or exit_status > 128:
        number = -exit_status if exit_status < 0 else exit_status - 128
        try:
            return f" ({signal.Signals(number).name})"
        except ValueError:
            pass
    return f" (exit {exit_status})"
