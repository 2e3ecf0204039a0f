"""Tests that a value typed for a setting is taken as if from the file, or refused with a sentence."""

from contextlib import suppress
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot import config
from bot.config import Choices, Project, Settings
from bot.errors import NotDone
from bot.projects import setting_changes
from bot.projects.setting_changes import NAMES, changed, right

SENSIBLE = st.sampled_from(
    [
        "opus",
        "high",
        "plan",
        ".",
        "worktree",
        "yes",
        "Read, Bash(echo a, b)",
        "A=b",
        "A=",
        "<@123456789012345678>",
        "~x/y",
    ]
)
TYPED = SENSIBLE | st.text(st.characters(codec="utf-8"), max_size=40) | st.just("x" * 5000)


@pytest.fixture(scope="module")
def settings(tmp_path_factory: pytest.TempPathFactory) -> Settings:
    base = tmp_path_factory.mktemp("base")
    (base / "loop").symlink_to("loop")
    raw = {"people": {"users": [1]}, "projects": {"demo": {"folder": ".", "channels": [2]}}}
    return config.check(raw, base=base, source="the test's settings")


@given(st.sampled_from(NAMES), TYPED, TYPED)
def test_anything_typed_is_a_choice_or_a_sentence(settings: Settings, name: str, first: str, second: str) -> None:
    layer = Choices()
    for words in (first, second):
        with suppress(NotDone):
            layer = changed(layer, name, words, project(settings), settings)
    assert Choices.model_validate_json(layer.model_dump_json(exclude_none=True)) == layer
    assert changed(layer, name, None, project(settings), settings) == Choices()


def project(settings: Settings) -> Project:
    return settings.projects["demo"]


def alter(settings: Settings, name: str, words: str, layer: Choices | None = None) -> object:
    return getattr(changed(layer or Choices(), name, words, project(settings), settings), name)


def test_what_is_typed_means_what_it_says(settings: Settings) -> None:
    assert alter(settings, "allowed_tools", "Read, Bash(echo a, b)") == ("Read", "Bash(echo a, b)")
    assert alter(settings, "folder", ".") == project(settings).folder
    two = Choices(environment={"A": "1", "B": "2"})
    assert alter(settings, "environment", "B=3=4", two) == {"A": "1", "B": "3=4"}
    assert alter(settings, "environment", "B=", two) == {"A": "1"}
    people = alter(settings, "decide", "<@!123456789012345678> and <@&223456789012345678>")
    assert people == config.People(users=frozenset({123456789012345678}), roles=frozenset({223456789012345678}))
    for words, why in [("loop", "can't be resolved"), ("..", "is not inside"), (str(Path("/")), "is not inside")]:
        with pytest.raises(NotDone, match=why):
            alter(settings, "folder", words)
    with pytest.raises(NotDone, match="There is no setting"):
        alter(settings, "colour", "red")


def test_what_loosens_the_reins_is_not_for_everybody() -> None:
    talked = {"model", "effort", "mention", "startup", "thinking"}
    assert {name for name in NAMES if right(name, "thread") == "talk"} == talked
    assert all(right(name, layer) == "own" for name in NAMES for layer in ("threads", "project"))
    assert setting_changes.right("decide", "thread") == "own"
    assert setting_changes.right("allowed_tools", "thread") == "decide"
    assert setting_changes.right("allowed_tools", "thread", second_person=True) == "own"
