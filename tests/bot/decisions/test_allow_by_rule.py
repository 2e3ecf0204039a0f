"""Tests that an approval by a rule is recorded as the rule's, and applies again if the same request is repeated."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from bot.decisions.allow_by_rule import allow_by_rule
from bot.decisions.desk import Desk, RequestMismatch
from bot.permission_requests.permission_request import PermissionRequest, RequestOrigin
from bot.permission_requests.rules import Rule, SavedRule
from bot.store import Store
from tests.fixtures.tickets import permission_request

ADA, BOB = 11, 22
ORIGIN = RequestOrigin("shop", "/home/ann/shop", prompted_by=ADA)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "state.sqlite3"


@pytest.fixture
def store(path: Path) -> Iterator[Store]:
    with Store.open(path) as store:
        yield store


def asking(name: str, command: str = "npm test") -> PermissionRequest:
    return permission_request("Bash", {"command": command}, name=name, origin=ORIGIN)


def test_what_a_rule_let_pass_passes_again_when_it_is_asked_again_and_nothing_in_its_name(store: Store) -> None:
    rules = [SavedRule(1, Rule("Bash", "make build"), "shop", None, BOB, 100.0)]
    entry = allow_by_rule(store, asking("one", "make build"), rules, 200.0)
    assert entry is not None
    assert (entry.outcome, entry.source, entry.by, entry.prompted_by) == ("allowed", "rule", BOB, ADA)
    assert (entry.note, entry.ran) == ("Bash(make build)", {"command": "make build"})
    assert allow_by_rule(store, asking("one", "make build"), [], 300.0) == entry, "the rule was removed meanwhile"
    with pytest.raises(RequestMismatch):
        allow_by_rule(store, asking("one", "make evil"), rules, 300.0)
    assert allow_by_rule(store, asking("two", "make evil"), rules, 300.0) is None
    assert len(store.audit("shop", 10)) == 1


async def test_what_stands_on_a_card_is_decided_there_though_a_rule_was_made_since(store: Store) -> None:
    desk, asked = Desk(store), asking("one", "make build")
    rules = [SavedRule(1, Rule("Bash", "make build"), "shop", None, BOB, 100.0)]
    async with desk.open(desk.ticket(asked), lambda _: "turn"):
        assert allow_by_rule(store, asked, rules, 200.0) is None
    assert allow_by_rule(store, asked, rules, 200.0) is None


def test_a_long_text_passes_again_by_its_hash(store: Store) -> None:
    given = {"file_path": "/home/ann/shop/a.py", "content": "x" * 100_000}
    asked = permission_request("Write", given, name="one", origin=ORIGIN)
    rules = [SavedRule(1, Rule("Edit"), "shop", None, BOB, 100.0)]
    entry = allow_by_rule(store, asked, rules, 200.0)
    assert entry is not None
    assert allow_by_rule(store, asked, rules, 300.0) == store.passed("run", "one")
    other = asked.with_input(given | {"content": "y" * 100_000})
    with pytest.raises(RequestMismatch):
        allow_by_rule(store, other, rules, 300.0)
