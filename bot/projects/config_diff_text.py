"""Formats a difference between two configurations for Discord, the log, the audit log and the terminal."""

import json
from collections.abc import Sequence
from typing import Any

from bot.config import ConfigDifference, People, Project
from bot.masking import mask
from bot.text.hidden_characters import show_hidden


def format_full(difference: ConfigDifference) -> str:
    """Format a difference with its full values, for the terminal."""
    return show_hidden(f"{difference.name}: {format_value(difference.before)} → {format_value(difference.after)}")


def format_masked(difference: ConfigDifference) -> str:
    """Format a difference without secrets and values of variables, for Discord, the log and the audit log."""
    return f"{difference.name} {verb(difference)}" if difference.secret else mask(format_full(difference))


def is_for_discord(differences: Sequence[ConfigDifference]) -> bool:
    """Check whether Discord can show all of it: people can't approve what they can't see."""
    return not any(each.secret or format_masked(each) != format_full(each) for each in differences)


def format_value(value: Any) -> str:
    """Format a value as in the file."""
    match value:
        case None:
            return "nothing"
        case Project():
            return f"the project in {value.folder}"
        case _:
            return json.dumps(value, ensure_ascii=False, default=_plain)


def _plain(value: object) -> object:
    match value:
        case People():
            return {"users": value.users, "roles": value.roles}
        case frozenset():
            return sorted(value)
        case _:
            return str(value)


def verb(difference: ConfigDifference) -> str:
    """Say what happens to a setting, without its value."""
    return "is added" if difference.before is None else "is removed" if difference.after is None else "is changed"
