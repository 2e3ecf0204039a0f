"""A setting changed from Discord: what the typed words mean, and who may."""

import re
from collections.abc import Callable
from pathlib import Path
from typing import Literal

from pydantic import ValidationError

from bot.config import UNGUARDED, Choices, Project, Settings
from bot.config.file import why
from bot.errors import NotDone
from bot.projects.projects import SettingLayer
from bot.projects.protected_files import Exposure

Right = Literal["talk", "decide", "own"]
"""Who may change a setting: those who may talk here, those who may decide here, the owners."""

NAMES = tuple(Choices.model_fields)

_DECIDED = frozenset(
    {"permission_mode", "allowed_tools", "isolation", "folder", "extra_folders", "system_prompt", "style"}
)
"""They change what Claude does without asking, or where."""
_OWNED = frozenset({"environment", "talk", "decide"})
_ALONE = frozenset({"allowed_tools"})
"""They allow what carries a warning too: where that needs a second person, no decider may do it alone."""
_PLACES = frozenset({"folder", "extra_folders"})
NOT_ALLOWED = (
    "In this mode Claude would act without asking anyone. It can be chosen only where the configuration says "
    "`allow_bypass = true` for the project."
)
_YES = {"yes": True, "true": True, "on": True, "no": False, "false": False, "off": False}
_MENTION = re.compile(r"<@(?P<role>&)?!?(?P<id>\d+)>|(?P<plain>\d{15,20})")
_COMMA = re.compile(r",(?![^()]*\))")
"""A comma that is not inside a rule's brackets: `Bash(echo a, b), Read`."""


def right(setting: str, layer: SettingLayer, *, second_person: bool = False) -> Right:
    """Say who may change a setting; what counts for a whole project is the owners'."""
    if layer != "thread" or setting in _OWNED or (setting in _ALONE and second_person):
        return "own"
    return "decide" if setting in _DECIDED else "talk"


def changed(
    layer: Choices,
    setting: str,
    words: str | None,
    project: Project,
    settings: Settings,
    *,
    reaches: Callable[[Path], Exposure | None] = lambda _: None,
) -> Choices:
    """Give a layer with one setting as it was typed, or with none taken back; raises NotDone if it can't be.

    `reaches` finds what of the bot's own Claude could rewrite in a folder.
    """
    if setting not in NAMES:
        raise NotDone(f"There is no setting {setting!r}; there are: {', '.join(NAMES)}.")
    if words is None or not words.strip():
        return layer.model_copy(update={setting: None})
    chosen = _checked(setting, _understood(setting, words.strip(), layer), project)
    if setting == "permission_mode" and chosen in UNGUARDED and not project.allow_bypass:
        raise NotDone(NOT_ALLOWED)
    if setting in _PLACES:
        _stay_inside(chosen, project, settings, reaches)
    return layer.model_copy(update={setting: chosen})


def _understood(setting: str, words: str, layer: Choices) -> object:
    """Read what was typed as the configuration would write it."""
    match setting:
        case "startup" | "thinking":
            if words.casefold() not in _YES:
                raise NotDone("Please say yes or no.")
            return _YES[words.casefold()]
        case "allowed_tools" | "extra_folders":
            return [part.strip() for part in _COMMA.split(words) if part.strip()]
        case "environment":
            return _variables(words, dict(layer.environment or {}))
        case "talk" | "decide":
            return _people(words)
        case _:
            return words


def _variables(words: str, before: dict[str, str]) -> dict[str, str] | None:
    """Add one variable, or with nothing behind the = remove it."""
    name, equals, value = words.partition("=")
    if not equals:
        raise NotDone("Please write NAME=value; NAME= removes it.")
    rest = {known: kept for known, kept in before.items() if known != name.strip()}
    return (rest | {name.strip(): value} if value else rest) or None


def _people(words: str) -> dict[str, list[int]]:
    users: list[int] = []
    roles: list[int] = []
    for found in _MENTION.finditer(words):
        (roles if found["role"] else users).append(int(found["id"] or found["plain"]))
    if not users and not roles:
        raise NotDone("Please mention people or roles: @ada @makers.")
    return {"users": users, "roles": roles}


def _checked(setting: str, value: object, project: Project) -> object:
    try:
        choices = Choices.model_validate({setting: value}, context={"base": project.folder})
    except ValidationError as error:
        raise NotDone("; ".join(f"{setting}: {why(each)}" for each in error.errors()) + ".") from None
    return getattr(choices, setting)


def _stay_inside(
    chosen: object, project: Project, settings: Settings, reaches: Callable[[Path], Exposure | None]
) -> None:
    """Let nobody in Discord reach for a folder that the file does not offer."""
    own = settings.projects[project.name].folder
    allowed = (own, *settings.roots)
    for folder in filter(lambda each: isinstance(each, Path), chosen if isinstance(chosen, tuple) else (chosen,)):
        if not any(folder.is_relative_to(root) for root in allowed):
            offered = ", ".join(str(root) for root in allowed)
            raise NotDone(f"{folder} is not inside {offered}. Other folders are the configuration file's to name.")
        if found := reaches(folder):
            raise NotDone(str(found))
