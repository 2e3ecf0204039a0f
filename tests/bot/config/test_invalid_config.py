"""Tests that an invalid configuration is refused with the place of each mistake."""

from pathlib import Path
from typing import Any

import pytest

from bot import config
from bot.errors import ConfigError


def settings(base: Path, **changes: Any) -> config.Settings:
    project = {"folder": ".", "channels": [2]} | changes.pop("project", {})
    raw = {"people": {"users": [1]}, "projects": {"demo": project}} | changes
    return config.check(raw, base=base, source="claude-discord.toml")


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"project": {"channels": ["general"]}}, "projects.demo.channels.0: 'general' is not a Discord id"),
        ({"project": {"channels": [-2]}}, "projects.demo.channels.0: "),
        ({"project": {"channels": [True]}}, "projects.demo.channels.0: True is not a Discord id"),
        ({"project": {"channels": [2**70]}}, "projects.demo.channels.0: "),
        ({"project": {"channels": []}}, "projects.demo.channels: "),
        ({"project": {"folder": "nowhere"}}, "projects.demo.folder: there is no folder "),
        ({"project": {"folder": "~nobody-of-this-name/x"}}, "projects.demo.folder: "),
        ({"project": {"folder": "with\0nothing"}}, "projects.demo.folder: "),
        ({"project": {"colour": "red"}}, "projects.demo.colour: there is no such setting"),
        ({"project": {"permission_mode": "bypassPermissions"}}, "projects.demo.permission_mode: "),
        ({"project": {"permission_mode": "auto"}}, "projects.demo.permission_mode: "),
        ({"people": {}}, "nobody may talk to Claude; name users or roles"),
        ({"people": {}, "project": {"talk": {"users": [1]}}}, "nobody may decide; name users or roles"),
        ({"people": {"users": ["ada"]}}, "people.users.0: 'ada' is not a Discord id"),
        ({"projects": {}}, "projects: "),
        ({"port": 70000}, "port: "),
        ({"state": "~nobody-of-this-name/x"}, "state: "),
        ({"claude": {"command": []}}, "claude.command: "),
        ({"claude": {"idle_minutes": 0}}, "claude.idle_minutes: "),
    ],
)
def test_a_mistake_is_named_with_its_place(tmp_path: Path, changes: dict[str, Any], said: str) -> None:
    with pytest.raises(ConfigError) as error:
        settings(tmp_path, **changes)
    assert str(error.value).startswith("claude-discord.toml needs correcting:\n")
    assert said in str(error.value)


def test_every_mistake_is_told_at_once(tmp_path: Path) -> None:
    with pytest.raises(ConfigError) as error:
        settings(tmp_path, people={}, project={"folder": "nowhere"})
    assert len(str(error.value).splitlines()) == 4


def test_a_channel_belongs_to_one_project(tmp_path: Path) -> None:
    project = {"folder": ".", "channels": [2]}
    with pytest.raises(ConfigError, match="2 already belongs to one"):
        settings(tmp_path, projects={"one": project, "two": project})


def test_an_id_may_be_written_as_text(tmp_path: Path) -> None:
    assert settings(tmp_path, project={"channels": ["2"]}).channels == {2}


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (b"[people", "line 1: the ] after a section's name is missing"),
        (b"\xff\xfe", "can't be read"),
        (None, "There is no "),
    ],
)
def test_a_file_that_is_none(tmp_path: Path, content: bytes | None, said: str) -> None:
    path = tmp_path / "claude-discord.toml"
    if content is not None:
        path.write_bytes(content)
    with pytest.raises(ConfigError, match=said):
        config.load(path)
