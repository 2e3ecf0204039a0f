"""What differs between two readings of the file, and whether it loosens what people agreed to.

Only what is known to be harmless counts as that: a setting that is added to the program later loosens until it is
named here.
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
"""They change how Claude works and what is told, and nothing of who may do what, or where."""
SHRINKING = frozenset(
    {
        *("people.users", "people.roles", "owners.users", "owners.roles", "roots"),
        *("talk.users", "talk.roles", "decide.users", "decide.roles"),
        *("channels", "allowed_tools", "extra_folders"),
    }
)
"""Less of them is less that is allowed."""
STRICTNESS = {"bypassPermissions": 0, "auto": 1, "acceptEdits": 2, None: 3, "default": 3, "manual": 3, "plan": 4}
"""How much Claude asks in a mode; one that nobody chose is the default."""
STRICTEST = "dontAsk"  # what nobody allowed beforehand is refused
TIGHT = {"allow_bypass": False, "decisions.second_person": True}
SECRET = frozenset({"environment"})
"""Their values are for nobody in Discord."""


@dataclass(frozen=True, slots=True)
class ConfigDifference:
    """One setting that differs."""

    place: SettingPath
    before: Any
    after: Any
    loosens: bool

    @property
    def name(self) -> str:
        return ".".join(self.place)

    @property
    def project(self) -> str:
        """Whose it is; empty for the whole file's."""
        return self.place[1] if self.place[0] == "projects" else ""

    @property
    def secret(self) -> bool:
        return not SECRET.isdisjoint(self.place)


def differences(before: Settings, after: Settings) -> tuple[ConfigDifference, ...]:
    """Compare everything that there is; what a project only inherits is told once."""
    return tuple(_inside((), before, after, before, after))


def fingerprint(settings: Settings) -> str:
    """Name a reading of the file."""
    return hashlib.sha256(settings.model_dump_json().encode(errors="surrogatepass")).hexdigest()[:16]


def _inside(place: SettingPath, before: Any, after: Any, whole: Settings, then: Settings) -> Iterator[ConfigDifference]:
    if before == after or _inherited(place, before, after, whole, then):
        return
    old, new = _parts(before), _parts(after)
    if (old is None and new is None) or _goes(place, after):
        yield ConfigDifference(place, before, after, loosens=_loosens(place, before, after))
        return
    old = _defaults(after) if old is None else old
    for name in {**old, **(new or {})}:
        yield from _inside((*place, name), old.get(name), (new or {}).get(name), whole, then)


def _parts(value: Any) -> Mapping[str, Any] | None:
    """Take a section or a table apart."""
    if isinstance(value, BaseModel):
        return {name: getattr(value, name) for name in type(value).model_fields}
    return value if isinstance(value, Mapping) else None


def _defaults(value: Any) -> Mapping[str, Any]:
    """Give what a section that is new would say if it said nothing."""
    if not isinstance(value, BaseModel):
        return {}
    fields = {name: field.get_default(call_default_factory=True) for name, field in type(value).model_fields.items()}
    return {name: None if default is PydanticUndefined else default for name, default in fields.items()}


def _goes(place: SettingPath, after: Any) -> bool:
    """Whether a whole project is taken out."""
    return place[:1] == ("projects",) and len(place) == 2 and after is None


def _inherited(place: SettingPath, before: Any, after: Any, whole: Settings, then: Settings) -> bool:
    """Whether a difference only follows one that stands above it in the file, or is what a new project begins with."""
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
    """Say so of everything that is not known to be harmless."""
    below = place[2:] if place[0] == "projects" else place
    for_threads = below[:1] == ("threads",)
    setting = ".".join(below[1:] if for_threads else below)
    if setting in NEUTRAL or _goes(place, after):
        return False
    if for_threads and (before is None or after is None):
        return True  # the project's own counts where its threads choose nothing
    if setting in SHRINKING:
        return not set(after or ()) <= set(before or ())
    if setting == "permission_mode":
        stricter = STRICTNESS.get(after, -1) >= STRICTNESS.get(before, 99)
        return after != STRICTEST and (before == STRICTEST or not stricter)
    return setting not in TIGHT or after is not TIGHT[setting]
