"""A difference between two configurations, in plain words: for Discord, the log, the audit log and the terminal."""

import json
from collections.abc import Sequence
from typing import Any

from bot.config import ConfigDifference, People, Project
from bot.masking import mask
from bot.text.hidden_characters import show_hidden


def whole(difference: ConfigDifference) -> str:
    """Say what changes, with every value: for whoever sits at the terminal."""
    return show_hidden(f"{difference.name}: {written(difference.before)} → {written(difference.after)}")


def told(difference: ConfigDifference) -> str:
    """Say what changes, for Discord, the log and the record: of a variable only the name, and no secret."""
    return f"{difference.name} {verb(difference)}" if difference.secret else mask(whole(difference))


def is_for_discord(differences: Sequence[ConfigDifference]) -> bool:
    """Whether everything in it can be read there: what can't be shown can't be agreed to."""
    return not any(each.secret or told(each) != whole(each) for each in differences)


def written(value: Any) -> str:
    """Write a value as the file would, whole."""
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
