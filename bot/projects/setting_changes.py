"""Changes a setting from Discord: parses the typed value and says who may change it."""

import re
from collections.abc import Callable
from pathlib import Path
from typing import Literal

from pydantic import ValidationError

from bot.config import UNGUARDED, Choices, Project, Settings
from bot.config.validation import why
from bot.errors import NotDone
from bot.projects.projects import SettingLayer
from bot.projects.protected_files import Exposure

Right = Literal["talk", "decide", "own"]
"""Who may change a setting: those who may talk here, those who may decide here, the owners."""

NAMES = tuple(Choices.model_fields)

_FOR_DECIDERS = frozenset(
    {"permission_mode", "allowed_tools", "isolation", "folder", "extra_folders", "system_prompt", "style"}
)
"""Settings that change what Claude does without asking, or where."""
_FOR_OWNERS = frozenset({"environment", "talk", "decide"})
_FOR_OWNERS_IF_SECOND_PERSON = frozenset({"allowed_tools"})
"""Settings that also allow requests with a warning: if those need a second person, only owners may change them."""
_FOLDERS = frozenset({"folder", "extra_folders"})
NOT_ALLOWED = (
    "In this mode Claude would act without asking anyone. To allow it, set `allow_bypass = true` for the project "
    "in the configuration file."
)
_YES = {"yes": True, "true": True, "on": True, "no": False, "false": False, "off": False}
_MENTION = re.compile(r"<@(?P<role>&)?!?(?P<id>\d+)>|(?P<plain>\d{15,20})")
_COMMA = re.compile(r",(?![^()]*\))")
"""A comma that is not inside a rule's brackets: `Bash(echo a, b), Read`."""


def right(setting: str, layer: SettingLayer, *, second_person: bool = False) -> Right:
    """Return who may change a setting; only owners may change it for a whole project."""
    if layer != "thread" or setting in _FOR_OWNERS or (setting in _FOR_OWNERS_IF_SECOND_PERSON and second_person):
        return "own"
    return "decide" if setting in _FOR_DECIDERS else "talk"


def changed(
    layer: Choices,
    setting: str,
    words: str | None,
    project: Project,
    settings: Settings,
    *,
    reaches: Callable[[Path], Exposure | None] = lambda _: None,
) -> Choices:
    """Return a layer with one setting set to the typed value, or unset if there is none; raise NotDone if invalid.

    `reaches` finds one of the bot's own files that Claude could rewrite in a folder.
    """
    if setting not in NAMES:
        raise NotDone(f"There is no setting {setting!r}. Choose one of: {', '.join(NAMES)}.")
    if words is None or not words.strip():
        return layer.model_copy(update={setting: None})
    chosen = _validate(setting, _parse(setting, words.strip(), layer), project)
    if setting == "permission_mode" and chosen in UNGUARDED and not project.allow_bypass:
        raise NotDone(NOT_ALLOWED)
    if setting in _FOLDERS:
        _check_folders(chosen, project, settings, reaches)
    return layer.model_copy(update={setting: chosen})


def _parse(setting: str, words: str, layer: Choices) -> object:
    """Parse the typed value into the form that the configuration file has."""
    match setting:
        case "startup" | "thinking":
            if words.casefold() not in _YES:
                raise NotDone("Type yes or no.")
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
    """Add a variable, or remove it if nothing follows the =."""
    name, equals, value = words.partition("=")
    if not equals:
        raise NotDone("Type NAME=value, or NAME= to remove it.")
    rest = {known: kept for known, kept in before.items() if known != name.strip()}
    return (rest | {name.strip(): value} if value else rest) or None


def _people(words: str) -> dict[str, list[int]]:
    users: list[int] = []
    roles: list[int] = []
    for found in _MENTION.finditer(words):
        (roles if found["role"] else users).append(int(found["id"] or found["plain"]))
    if not users and not roles:
        raise NotDone("Mention people or roles, such as @ada @makers.")
    return {"users": users, "roles": roles}


def _validate(setting: str, value: object, project: Project) -> object:
    try:
        choices = Choices.model_validate({setting: value}, context={"base": project.folder})
    except ValidationError as error:
        raise NotDone("; ".join(f"{setting}: {why(each)}" for each in error.errors()) + ".") from None
    return getattr(choices, setting)


def _check_folders(
    chosen: object, project: Project, settings: Settings, reaches: Callable[[Path], Exposure | None]
) -> None:
    """Raise NotDone for a folder that the configuration file does not offer."""
    own = settings.projects[project.name].folder
    allowed = (own, *settings.roots)
    for folder in filter(lambda each: isinstance(each, Path), chosen if isinstance(chosen, tuple) else (chosen,)):
        if not any(folder.is_relative_to(root) for root in allowed):
            offered = ", ".join(str(root) for root in allowed)
            raise NotDone(f"{folder} is not inside {offered}. Other folders can only be set in the configuration file.")
        if found := reaches(folder):
            raise NotDone(str(found))
