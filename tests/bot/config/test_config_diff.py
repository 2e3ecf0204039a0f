"""Tests which changes of the file grant more access: all that are not known to be harmless."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from pydantic import BaseModel

from bot import config
from bot.config import Settings, differences
from bot.config.config_diff import NEUTRAL

BASE: dict[str, Any] = {
    "people": {"users": [1, 2], "roles": [3]},
    "owners": {"users": [1]},
    "roots": ["code"],
    "projects": {
        "demo": {
            "folder": "work",
            "channels": [4, 5],
            "permission_mode": "default",
            "allowed_tools": ["Read", "Glob"],
            "extra_folders": ["code"],
            "environment": {"A": "1"},
            "extra_args": ["--verbose"],
            "threads": {"model": "opus", "allowed_tools": ["Read"]},
        }
    },
    "decisions": {"timeout_minutes": 5},
}
Way = tuple[str, ...]


@pytest.fixture
def base(tmp_path: Path) -> Path:
    for name in ("work", "code", "more"):
        (tmp_path / name).mkdir()
    return tmp_path


def changed(raw: dict[str, Any], way: Way, value: object) -> dict[str, Any]:
    """Return the settings with one value changed; None removes it."""
    name, *rest = way
    if rest:
        return raw | {name: changed(raw.get(name, {}), tuple(rest), value)}
    return {key: each for key, each in raw.items() if key != name} | ({} if value is None else {name: value})


def settings(base: Path, raw: dict[str, Any] = BASE) -> Settings:
    return config.check(raw, base=base, source="the test's settings")


def verdict(base: Path, way: Way, value: object) -> bool:
    """Check that the change is noticed, and return whether it grants more access."""
    found = differences(settings(base), settings(base, changed(BASE, way, value)))
    assert found, way
    return any(each.loosens for each in found)


DEMO = ("projects", "demo")
LOOSENING: list[tuple[Way, object]] = [
    (("people", "users"), [1, 2, 9]),
    (("people", "roles"), [3, 9]),
    (("people", "users"), [9]),
    (("owners", "users"), [1, 9]),
    (("owners", "roles"), [9]),
    (("owners",), None),
    (("roots",), ["code", "more"]),
    (("roots",), ["more"]),
    (("panel",), 9),
    (("state",), "elsewhere"),
    (("discord_api",), "http://127.0.0.1:9"),
    (("transcriber",), ["/bin/sh"]),
    (("keep_days",), 1),
    (("claude", "command"), ["evil"]),
    (("decisions", "second_person"), False),
    (("decisions", "timeout_minutes"), 0),
    (("projects", "other"), {"folder": "more", "channels": [9]}),
    ((*DEMO, "folder"), "more"),
    ((*DEMO, "channels"), [4, 5, 9]),
    ((*DEMO, "talk"), {"users": [9]}),
    ((*DEMO, "decide"), {"users": [1, 2], "roles": [3, 9]}),
    ((*DEMO, "permission_mode"), "acceptEdits"),
    ((*DEMO, "allow_bypass"), True),
    ((*DEMO, "allowed_tools"), ["Bash"]),
    ((*DEMO, "allowed_tools"), ["Read", "Glob", "Bash"]),
    ((*DEMO, "extra_folders"), ["code", "more"]),
    ((*DEMO, "extra_args"), []),
    ((*DEMO, "extra_args"), ["--verbose", "--dangerously-skip-permissions"]),
    ((*DEMO, "environment"), {"A": "1", "PATH": "/evil"}),
    ((*DEMO, "environment"), {"A": "2"}),
    ((*DEMO, "environment"), None),
    ((*DEMO, "system_prompt"), "Obey."),
    ((*DEMO, "isolation"), "worktree"),
    ((*DEMO, "style"), "channel"),
    ((*DEMO, "decisions"), {"second_person": False}),
    ((*DEMO, "threads", "allowed_tools"), None),
    ((*DEMO, "threads", "allowed_tools"), ["Read", "Bash"]),
    ((*DEMO, "threads", "permission_mode"), "default"),
    ((*DEMO, "threads", "decide"), {"users": [1]}),
    ((*DEMO, "threads", "folder"), "more"),
]
HARMLESS: list[tuple[Way, object]] = [
    (("people", "users"), [1]),
    (("people", "roles"), []),
    (("roots",), []),
    (("claude", "idle_minutes"), 1),
    (("claude", "patience_minutes"), 1),
    (("log_format",), "json"),
    (("port",), 4000),
    (("decisions", "second_person"), True),
    (("decisions", "remind_minutes"), 1),
    (("decisions", "quiet_hours"), "22:00-07:00"),
    ((*DEMO, "channels"), [4]),
    ((*DEMO, "decide"), {"users": [1]}),
    ((*DEMO, "permission_mode"), "plan"),
    ((*DEMO, "permission_mode"), "dontAsk"),
    ((*DEMO, "permission_mode"), None),
    ((*DEMO, "allowed_tools"), ["Read"]),
    ((*DEMO, "allowed_tools"), None),
    ((*DEMO, "extra_folders"), []),
    ((*DEMO, "model"), "haiku"),
    ((*DEMO, "effort"), "low"),
    ((*DEMO, "mention"), "never"),
    ((*DEMO, "thinking"), True),
    ((*DEMO, "startup"), True),
    ((*DEMO, "threads", "model"), None),
    ((*DEMO, "threads", "allowed_tools"), []),
]


@pytest.mark.parametrize(("way", "value"), LOOSENING, ids=str)
def test_what_gives_more_away_waits(base: Path, way: Way, value: object) -> None:
    assert verdict(base, way, value)


@pytest.mark.parametrize(("way", "value"), HARMLESS, ids=str)
def test_what_tightens_or_changes_nobodys_rights_counts_at_once(base: Path, way: Way, value: object) -> None:
    assert not verdict(base, way, value)


def test_what_is_taken_back_is_looked_at_the_other_way_round(base: Path) -> None:
    strict = changed(BASE, (*DEMO, "permission_mode"), "dontAsk")
    (found,) = differences(settings(base, strict), settings(base))
    assert found.loosens, "what was refused is asked for again"
    loose = BASE["projects"]["demo"] | {"allow_bypass": True, "permission_mode": "bypassPermissions"}
    bypass = settings(base, changed(BASE, DEMO, loose))
    assert not any(each.loosens for each in differences(bypass, settings(base)))


def test_a_project_that_goes_is_harmless_and_one_that_comes_is_told_in_full(base: Path) -> None:
    more = {"folder": "more", "channels": [9], "allowed_tools": ["Bash"], "threads": {"permission_mode": "acceptEdits"}}
    other = settings(base, changed(BASE, ("projects", "other"), more))
    found = differences(settings(base), other)
    assert {each.name for each in found} == {
        f"projects.other.{name}" for name in ("folder", "channels", "allowed_tools", "threads.permission_mode")
    }
    (gone,) = differences(other, settings(base))
    assert (gone.name, gone.loosens) == ("projects.other", False)


def test_what_a_project_only_inherits_is_told_once(base: Path) -> None:
    file = changed(changed(BASE, ("people", "users"), [1, 2, 9]), ("decisions", "timeout_minutes"), 0)
    found = differences(settings(base), settings(base, file))
    assert [each.name for each in found] == ["people.users", "decisions.timeout_minutes"]


def leaves(model: type[BaseModel], way: Way = ()) -> Iterator[Way]:
    """Yield the path of every setting, including future ones."""
    for name, field in model.model_fields.items():
        inner = field.annotation
        if isinstance(inner, type) and issubclass(inner, BaseModel):
            yield from leaves(inner, (*way, name))
        elif name == "projects":
            yield from leaves(config.Project, (*way, "projects", "demo"))
        else:
            yield (*way, name)


@pytest.mark.parametrize("way", list(leaves(Settings)), ids=".".join)
def test_no_setting_is_forgotten(base: Path, way: Way) -> None:
    """A setting that is not listed as harmless grants more access, whatever it is."""
    before = settings(base)
    found = differences(before, _with(before, way, "something else"))
    assert [each.place[: len(way)] for each in found] == [way]
    setting = ".".join(part for part in way if part not in {"projects", "demo", "threads"})
    assert found[0].loosens == (setting not in NEUTRAL)


def _with(part: Any, way: Way, value: object) -> Any:
    name, *rest = way
    if isinstance(part, dict):
        return part | {name: _with(part[name], tuple(rest), value)}
    inner = _with(getattr(part, name), tuple(rest), value) if rest else value
    return part.model_copy(update={name: inner})


def test_a_file_that_was_agreed_to_is_the_same_when_it_is_read_again(base: Path) -> None:
    for file in (settings(base), settings(base, changed(BASE, ("panel",), 9))):
        assert Settings.model_validate(file.model_dump(mode="json")) == file
