"""Earlier sessions in `/resume`: how old they are, and how they began."""

from bot.messages import OPTION_LIMIT
from bot.text.escape import escape_markdown, one_line
from bot.text.truncate import truncate
from bot.transcript.session_history import EarlierSession, SessionMessage

_SPANS = ((60, "min"), (3600, "h"), (86400, "d"))


def label(earlier: EarlierSession, now: float) -> str:
    """Label a session in the autocomplete list."""
    return truncate(f"{age(now - earlier.at)} · {one_line(earlier.words)}", OPTION_LIMIT)


def age(seconds: float) -> str:
    """Write an age as briefly as possible."""
    fitting = [(span, unit) for span, unit in _SPANS if seconds >= span]
    if not fitting:
        return "now"
    span, unit = fitting[-1]
    return f"{seconds / span:.0f} {unit}"


def resumed(earlier: EarlierSession, last: SessionMessage | None) -> str:
    """Say which session is resumed, and quote its last message."""
    words = escape_markdown(truncate(one_line(earlier.words), 200))
    text = f"Resuming the session that began with “{words}”, last used <t:{earlier.at:.0f}:R>."
    if last is None:
        return text
    who = "You" if last.who == "person" else "Claude"
    return f"{text}\n-# Last: {who}: {escape_markdown(truncate(one_line(last.text), 400))}"
