"""Tests how the state file stores the rules that people made."""

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from bot.permission_requests.rules import Rule, SavedRule
from bot.store import Store

ADA, BOB = 11, 22


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "state.sqlite3"


@pytest.fixture
def store(path: Path) -> Iterator[Store]:
    with Store.open(path) as store:
        yield store


def test_rules_go_with_their_thread_and_with_their_project(store: Store) -> None:
    rule = SavedRule(0, Rule("Bash", "npm test"), "shop", None, ADA, 1.0)
    for kept in (rule, rule, replace(rule, conversation=7), replace(rule, project="site")):
        store.add_rule(kept)
    assert len(store.rules("shop")) == 2, "the same rule for the same place is kept once"
    store.forget_conversation(7)
    assert [kept.conversation for kept in store.rules("shop")] == [None]
    store.remove_project("shop")
    assert store.rules("shop") == []
    assert len(store.rules("site")) == 1
