"""Helps write the lines of a reply: the subject of a request, and cutting a list to fit."""

from collections.abc import Sequence

from bot.masking import mask
from bot.messages import MESSAGE_LIMIT
from bot.text.code_block import inline_code
from bot.text.escape import escape_line
from bot.text.truncate import utf16_length

_ROOM = MESSAGE_LIMIT - 100
_SUBJECTS = ("command", "file_path", "notebook_path", "url")


def subject(given: object) -> str:
    if isinstance(given, dict):
        text = next((given[key] for key in _SUBJECTS if isinstance(given.get(key), str)), None)
        if text:
            return inline_code(mask(text), 70)
        if isinstance(plan := given.get("plan"), str):
            return escape_line(plan.lstrip("# \n").partition("\n")[0], 70)  # its title
    return ""


def fit_lines(lines: Sequence[str]) -> str:
    """Join as many lines as fit in a message, and say how many more there are."""
    taken: list[str] = []
    room = _ROOM
    for number, text in enumerate(lines):
        room -= utf16_length(text) + 1
        if room < 0:
            return "\n".join([*taken, f"-# … and {len(lines) - number} more"])
        taken.append(text)
    return "\n".join(taken)
