"""Tests the layers of settings: the nearest one wins, and changes from Discord never touch the file."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot import config
from bot.config import Choices, People, Settings
from bot.conversations.launch_options import launch
from bot.projects.projects import Projects
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


CHOICES = st.builds(
    Choices,
    model=st.none() | st.sampled_from(["opus", "sonnet"]),
    effort=st.none() | st.sampled_from(["low", "high"]),
    isolation=st.none() | st.sampled_from(["none", "worktree"]),
    startup=st.none() | st.booleans(),
    allowed_tools=st.none() | st.just(()) | st.just(("Read",)),
    environment=st.none() | st.dictionaries(st.sampled_from(["A", "B"]), st.sampled_from(["1", "2"])),
    talk=st.none() | st.builds(People, users=st.sampled_from([frozenset({1}), frozenset({2})])),
)


@given(CHOICES, CHOICES, CHOICES)
def test_of_several_layers_the_nearest_that_chooses_wins(one: Choices, two: Choices, three: Choices) -> None:
    assert one.over(two).over(three) == one.over(two.over(three))
    result = one.over(two).over(three)
    for name in set(Choices.model_fields) - {"environment"}:
        chosen = [getattr(layer, name) for layer in (one, two, three) if getattr(layer, name) is not None]
        assert getattr(result, name) == (chosen[0] if chosen else None)
    joined = (three.environment or {}) | (two.environment or {}) | (one.environment or {})
    assert (result.environment or {}) == joined


def test_every_layer_reaches_the_command_line(tmp_path: Path, store: Store) -> None:
    (tmp_path / "more").mkdir()
    file = settings(
        tmp_path,
        {
            "model": "opus",
            "system_prompt": "Be brief.",
            "allowed_tools": ["Bash(npm test:*)", "WebFetch"],
            "extra_folders": ["more"],
            "environment": {"A": "project", "B": "project"},
            "threads": {"effort": "high", "environment": {"B": "threads"}},
        },
    )
    projects = Projects(file, store)
    store.set_own(9, Choices(model="haiku"))
    thread = store.conversation(9)
    assert thread is not None
    assert flags(projects, thread) == [
        *("--permission-mode", "default", "--model", "haiku", "--effort", "high"),
        *("--append-system-prompt", "Be brief."),
        *("--allowedTools=Bash(npm test:*)", "--allowedTools=WebFetch", f"--add-dir={tmp_path / 'more'}"),
    ]
    project = projects.in_thread(9)
    assert project is not None
    assert launch(project, thread, "run", "token").environment == {"A": "project", "B": "threads"}
