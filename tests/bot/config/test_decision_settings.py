"""Tests settings for decisions that contradict other settings."""

from pathlib import Path
from typing import Any

import pytest

from bot import config
from bot.errors import ConfigError


def checked(tmp_path: Path, people: dict[str, Any], **project: Any) -> config.Settings:
    raw = {
        "people": people,
        "decisions": {"second_person": True},
        "projects": {"shop": {"folder": str(tmp_path), "channels": [7], **project}},
    }
    return config.check(raw, base=tmp_path, source="the file")


def test_a_second_person_is_not_wanted_where_there_is_only_one(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="second_person needs someone else"):
        checked(tmp_path, {"users": [1]})
    with pytest.raises(ConfigError, match="second_person needs someone else"):
        checked(tmp_path, {"users": [1, 2]}, decide={"users": [1]})


def test_two_people_or_a_role_are_enough_for_a_second_person(tmp_path: Path) -> None:
    assert checked(tmp_path, {"users": [1, 2]}).projects["shop"].decisions.second_person
    assert checked(tmp_path, {"users": [1], "roles": [3]}).projects["shop"].decisions.second_person
    alone = checked(tmp_path, {"users": [1]}, decisions={"second_person": False})
    assert not alone.projects["shop"].decisions.second_person


def test_a_misspelt_setting_is_named_with_the_right_one(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="did you mean timeout_minutes"):
        checked(tmp_path, {"users": [1, 2]}, decisions={"timeout_minute": 5})
