"""The messages about errors that the CLI reports: what happened, and what to do about it."""

from bot.render.turns.usage_limit import limit_message
from bot.text.escape import escape_markdown, one_line
from bot.text.truncate import truncate
from bot.transcript import SessionStatus, TurnProblem

LOGIN = "Run `claude` in a terminal on that machine, type `/login`, then send another message."
_ADVICE = {
    "authentication_failed": f"**Claude is not logged in.** {LOGIN}",
    "invalid_key": f"**Claude's API key is not valid.** Correct or remove it on that machine. {LOGIN}",
    "oauth_org_not_allowed": f"**This organization may not use Claude Code.** Log in with another account. {LOGIN}",
    "account_on_hold": "**The account is on hold.** Its owner needs to resolve this at claude.ai.",
    "verification_required": f"**The account must be verified first.** {LOGIN}",
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
        advice = limit_message(text, session)
    else:
        advice = _ADVICE.get(kind, "**Claude could not finish.** Send a message to continue from here.")
    said = escape_markdown(one_line(text))
    return f"⚠️ {advice}" + (f"\n-# {truncate(said, 600)}" if said else "")


def error_kind(problem: TurnProblem) -> str:
    """Return the kind of a problem. Older versions of the CLI only report it in the text of the message."""
    text = problem.text.lower()
    return next((kind for words, kind in _KINDS_BY_WORDS.items() if words in text), problem.kind)
