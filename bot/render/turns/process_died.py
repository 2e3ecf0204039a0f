"""The message about a `claude` process that ended in the middle of a turn."""

import signal

from bot.events import ExitCause, ProcessExit
from bot.render.turns.errors import LOGIN
from bot.render.turns.tool_lines import output_lines
from bot.text.split import BODY
from bot.text.truncate import truncate

_MAX_STDERR = 900
_EXIT_ADVICE = {
    ExitCause.LOGGED_OUT: LOGIN,
    ExitCause.NOT_FOUND: "Check that `claude` and the project's folder still exist, then send another message.",
}


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
