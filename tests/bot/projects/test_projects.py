"""Tests that changes from Discord override the file, survive a restart and never touch the file."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from bot import config
from bot.config import Choices, People, Settings
from bot.conversations.launch_options import launch
from bot.errors import NotDone
from bot.projects.projects import AddedProject, Projects, ReloadResult, SettingOrigin
from bot.records import ConversationRecord
from bot.store import Store

THREAD = ConversationRecord(9, "demo", "A thread", 0.0)


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    with Store.open(tmp_path / "state.sqlite3") as store:
        store.add_conversation(THREAD)
        yield store


def settings(base: Path, project: dict[str, Any] | None = None, **more: Any) -> Settings:
    demo = {"folder": ".", "channels": [2]} | (project or {})
    raw = {"people": {"users": [1]}, "projects": {"demo": demo}} | more
    return config.check(raw, base=base, source="the test's settings")


def flags(projects: Projects, thread: ConversationRecord = THREAD) -> list[str]:
    project = projects.of(thread)
    assert project is not None
    return list(launch(project, thread, "run", "token").arguments)


def test_a_change_from_discord_lies_over_the_file_and_outlives_the_bot(tmp_path: Path, store: Store) -> None:
    file = settings(tmp_path, {"model": "opus", "threads": {"effort": "low"}})
    projects = Projects(file, store)
    projects.choose("demo", "project", Choices(model="sonnet"))
    projects.choose("demo", "threads", Choices(effort="max"))
    for each in (projects, Projects(file, store)):
        assert flags(each)[2:] == ["--model", "sonnet", "--effort", "max"]
        assert each.origin(THREAD, "demo", "model") == SettingOrigin("project", "discord")
        assert each.origin(THREAD, "demo", "effort") == SettingOrigin("threads", "discord")
        assert each.origin(THREAD, "demo", "folder") == SettingOrigin("project", "file")
        assert each.origin(THREAD, "demo", "isolation") is None
        assert each.origin(THREAD, "demo", "talk") is None, "it is left to [people]"
    projects.choose("demo", "project", Choices())
    assert flags(projects)[2:4] == ["--model", "opus"]


def test_who_may_talk_and_decide_is_a_layer_like_the_others(tmp_path: Path, store: Store) -> None:
    projects = Projects(settings(tmp_path, {"threads": {"talk": {"users": [5]}}}), store)
    store.set_own(9, Choices(decide=People(users=frozenset({6}))))
    thread = projects.in_thread(9)
    assert thread is not None
    assert thread.talk.users == {5}
    assert thread.decide.users == {6}
    assert projects.settings.projects["demo"].talk.users == {1}


def test_a_changed_file_counts_but_for_what_only_a_restart_can_change(tmp_path: Path, store: Store) -> None:
    projects = Projects(settings(tmp_path, {"model": "opus"}), store)
    assert not projects.take_over(settings(tmp_path, {"model": "opus"})).changed
    changed = settings(tmp_path, {"model": "haiku"}, port=4000, claude={"command": ["other"], "idle_minutes": 3})
    assert projects.take_over(changed) == ReloadResult(changed=True, late=("port", "claude.command"))
    assert flags(projects)[2:] == ["--model", "haiku"]
    assert projects.settings.port == 0
    assert projects.settings.claude.command == ("claude",)
    assert projects.settings.claude.idle_minutes == 3


def added(folder: Path, name: str = "site", channel: int = 7) -> AddedProject:
    return AddedProject(name, folder, frozenset({channel}), added_by=1, added_at=0.0)


def test_a_project_added_from_discord_stays_under_the_roots(tmp_path: Path, store: Store) -> None:
    inside = tmp_path / "code" / "site"
    inside.mkdir(parents=True)
    (tmp_path / "elsewhere").mkdir()
    file = settings(tmp_path, roots=["code"])
    projects = Projects(file, store)
    for wrong, why in [
        (added(tmp_path / "elsewhere"), "not under the configured roots"),
        (added(tmp_path / "code" / "missing"), "no folder"),
        (added(inside, channel=2), "already belongs to demo"),
        (added(inside, name="demo"), "There is already a project demo"),
        (added(inside, name="two\nlines"), "one line"),
    ]:
        with pytest.raises(NotDone, match=why):
            projects.add(wrong)
    projects.add(added(inside))
    again = Projects(file, store)
    assert again.settings.projects["site"].talk.users == {1}
    assert again.is_added("site")
    again.take_over(settings(tmp_path, roots=[]))
    assert "to `roots`" in again.dormant["site"]
    assert "site" not in again.settings.projects, "a root that is no longer there takes its projects along"
    again.take_over(file)
    with pytest.raises(NotDone, match="is in the configuration file"):
        again.remove("demo")
    again.remove("site")
    assert inside.is_dir()
    assert "site" not in Projects(file, store).settings.projects
