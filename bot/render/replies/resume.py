"""The list of earlier sessions in `/resume`, and its reply."""

from bot.messages import OPTION_LIMIT
from bot.text.escape import escape_markdown, one_line
from bot.text.truncate import truncate
from bot.transcript.session_history import EarlierSession, SessionMessage

_SPANS = ((60, "min"), (3600, "h"), (86400, "d"))


def label(earlier: EarlierSession, now: float) -> str:
    """Return the label of a session in the autocomplete list."""
    return truncate(f"{age(now - earlier.at)} · {one_line(earlier.words)}", OPTION_LIMIT)


def age(seconds: float) -> str:
    """Return an age in its largest unit, such as `3 h`."""
    fitting = [(span, unit) for span, unit in _SPANS if seconds >= span]
    if not fitting:
        return "now"
    span, unit = fitting[-1]
    return f"{seconds / span:.0f} {unit}"


def resume_reply(earlier: EarlierSession, last: SessionMessage | None) -> str:
    """Return the reply: which session is resumed, and its last message."""
    words = escape_markdown(truncate(one_line(earlier.words), 200))
    text = f"Resuming the session that began with “{words}”, last used <t:{earlier.at:.0f}:R>."
    if last is None:
        return text
    who = "You" if last.who == "person" else "Claude"
    return f"{text}\n-# Last: {who}: {escape_markdown(truncate(one_line(last.text), 400))}"
