"""Compares two versions of the configuration and tells which differences grant more access.

A difference grants more access unless it is known to be harmless: so does every new setting until it is listed here.
"""

import hashlib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from pydantic import BaseModel
from pydantic_core import PydanticUndefined

from bot.config.settings import Settings

SettingPath = tuple[str, ...]

NEUTRAL = frozenset(
    {
        *("model", "effort", "mention", "thinking", "startup"),
        *("decisions.remind_minutes", "decisions.quiet_hours"),
        *("claude.idle_minutes", "claude.patience_minutes", "log_format", "port"),
    }
)
"""Settings that change how Claude works and what is shown, but not who may do what, or where."""
SHRINKING = frozenset(
    {
        *("people.users", "people.roles", "owners.users", "owners.roles", "roots"),
        *("talk.users", "talk.roles", "decide.users", "decide.roles"),
        *("channels", "allowed_tools", "extra_folders"),
    }
)
"""Settings that allow less when they are shorter."""
STRICTNESS = {"bypassPermissions": 0, "auto": 1, "acceptEdits": 2, None: 3, "default": 3, "manual": 3, "plan": 4}
"""How much Claude asks in a mode; None is the default mode."""
STRICTEST = "dontAsk"  # refuses everything that is not allowed in advance
STRICT_VALUES = {"allow_bypass": False, "decisions.second_person": True}
SECRET = frozenset({"environment"})
"""Settings whose values must not be shown in Discord."""


@dataclass(frozen=True, slots=True)
class ConfigDifference:
    """A setting that differs."""

    place: SettingPath
    before: Any
    after: Any
    loosens: bool

    @property
    def name(self) -> str:
        return ".".join(self.place)

    @property
    def project(self) -> str:
        """Name of the project that it belongs to; empty for settings of the whole file."""
        return self.place[1] if self.place[0] == "projects" else ""

    @property
    def secret(self) -> bool:
        return not SECRET.isdisjoint(self.place)


def differences(before: Settings, after: Settings) -> tuple[ConfigDifference, ...]:
    """Return all differences; one that projects inherit is returned only once."""
    return tuple(_compare((), before, after, before, after))


def fingerprint(settings: Settings) -> str:
    """Return a short hash that names this version of the settings."""
    return hashlib.sha256(settings.model_dump_json().encode(errors="surrogatepass")).hexdigest()[:16]


def _compare(
    place: SettingPath, before: Any, after: Any, whole: Settings, then: Settings
) -> Iterator[ConfigDifference]:
    if before == after or _inherited(place, before, after, whole, then):
        return
    old, new = _fields(before), _fields(after)
    if (old is None and new is None) or _removes_project(place, after):
        yield ConfigDifference(place, before, after, loosens=_loosens(place, before, after))
        return
    old = _defaults(after) if old is None else old
    for name in {**old, **(new or {})}:
        yield from _compare((*place, name), old.get(name), (new or {}).get(name), whole, then)


def _fields(value: Any) -> Mapping[str, Any] | None:
    """Return the settings in a section or table; None for any other value."""
    if isinstance(value, BaseModel):
        return {name: getattr(value, name) for name in type(value).model_fields}
    return value if isinstance(value, Mapping) else None


def _defaults(value: Any) -> Mapping[str, Any]:
    """Return the defaults of a section."""
    if not isinstance(value, BaseModel):
        return {}
    fields = {name: field.get_default(call_default_factory=True) for name, field in type(value).model_fields.items()}
    return {name: None if default is PydanticUndefined else default for name, default in fields.items()}


def _removes_project(place: SettingPath, after: Any) -> bool:
    """Check whether a project is removed."""
    return place[:1] == ("projects",) and len(place) == 2 and after is None


def _inherited(place: SettingPath, before: Any, after: Any, whole: Settings, then: Settings) -> bool:
    """Check whether a difference is only inherited from a section above, or is the default of a new project."""
    match place:
        case ("owners",) | ("projects", _, "talk" | "decide"):
            above = whole.people, then.people
        case ("projects", _, "decisions", name):
            above = getattr(whole.decisions, name), getattr(then.decisions, name)
        case ("projects", project, "name"):
            return bool(after == project)
        case _:
            return False
    is_new = place[0] == "projects" and place[1] not in whole.projects
    return bool((before, after) == above or (is_new and after == above[1]))


def _loosens(place: SettingPath, before: Any, after: Any) -> bool:
    """Check whether a difference may grant more access: yes, unless it is known to be harmless."""
    below = place[2:] if place[0] == "projects" else place
    for_threads = below[:1] == ("threads",)
    setting = ".".join(below[1:] if for_threads else below)
    if setting in NEUTRAL or _removes_project(place, after):
        return False
    if for_threads and (before is None or after is None):
        return True  # without a setting for the threads, the project's own applies
    if setting in SHRINKING:
        return not set(after or ()) <= set(before or ())
    if setting == "permission_mode":
        stricter = STRICTNESS.get(after, -1) >= STRICTNESS.get(before, 99)
        return after != STRICTEST and (before == STRICTEST or not stricter)
    return setting not in STRICT_VALUES or after is not STRICT_VALUES[setting]
