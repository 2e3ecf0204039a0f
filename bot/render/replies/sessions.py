"""Earlier sessions as a person finds them again: how old, and what they began with."""

from bot.messages import OPTION_LIMIT
from bot.text.escape import escape_markdown, one_line
from bot.text.truncate import truncate
from bot.transcript.session_history import Earlier, Said

_SPANS = ((60, "min"), (3600, "h"), (86400, "d"))


def label(earlier: Earlier, now: float) -> str:
    """Name a session in a list of choices."""
    return truncate(f"{age(now - earlier.at)} · {one_line(earlier.words)}", OPTION_LIMIT)


def age(seconds: float) -> str:
    """Say how long ago, as short as it goes."""
    fitting = [(span, unit) for span, unit in _SPANS if seconds >= span]
    if not fitting:
        return "now"
    span, unit = fitting[-1]
    return f"{seconds / span:.0f} {unit}"


def found_again(earlier: Earlier, last: Said | None) -> str:
    """Say which session goes on, and where it had come to."""
    words = escape_markdown(truncate(one_line(earlier.words), 200))
    text = f"Going on with the session that began with “{words}”, last used <t:{earlier.at:.0f}:R>."
    if last is None:
        return text
    who = "You" if last.who == "person" else "Claude"
    return f"{text}\n-# Last: {who}: {escape_markdown(truncate(one_line(last.text), 400))}"
