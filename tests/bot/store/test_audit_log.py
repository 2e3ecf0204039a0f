"""Tests the audit log: complete, only added to, and a changed entry is found."""

import json
import sqlite3
from collections.abc import Iterator
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import pytest

from bot import audit_log
from bot.decisions.desk import Desk
from bot.errors import StateError
from bot.permission_requests.permission_request import PermissionRequest, RequestOrigin
from bot.store import Store
from bot.store.audit_log import entries, verify
from shared.protocol import Allow, Deny
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


async def three_decisions(store: Store) -> None:
    moments = iter((100.0, 104.5, 200.0, 201.0, 300.0, 302.0))
    desk = Desk(store, clock=lambda: next(moments))
    async with desk.open(desk.ticket(asking("one")), lambda _: "turn") as waiting:
        desk.decide(waiting.ticket_id, Allow(updatedInput={"command": "npm test -- -x"}), BOB, "edited")
    async with desk.open(desk.ticket(asking("two")), lambda _: "turn") as waiting:
        desk.decide(waiting.ticket_id, Deny(message="Not now."), ADA, via="text")
    async with desk.open(desk.ticket(asking("three")), lambda _: "turn"):
        pass


async def test_each_request_is_on_record_with_its_decision(store: Store, path: Path) -> None:
    await three_decisions(store)
    edited, denied, withdrawn = (kept.entry for kept in entries(path))
    assert (edited.outcome, edited.source, edited.by, edited.after) == ("allowed", "button", BOB, 4.5)
    assert edited.asked == {"command": "npm test"}
    assert edited.ran == {"command": "npm test -- -x"}
    assert edited.prompted_by == ADA
    assert (denied.outcome, denied.source, denied.by, denied.note) == ("denied", "text", ADA, "Not now.")
    assert denied.ran is None
    assert (withdrawn.outcome, withdrawn.source, withdrawn.by) == ("withdrawn", "withdrawn", None)
    assert verify(path) == audit_log.Verdict(3, entries(path)[-1].seal)


async def test_the_state_file_refuses_to_change_or_remove_an_entry(store: Store, path: Path) -> None:
    await three_decisions(store)
    with closing(sqlite3.connect(path)) as file:
        for statement in ("UPDATE audit SET content = '{}'", "DELETE FROM audit WHERE number = 3"):
            with pytest.raises(sqlite3.IntegrityError, match="only added to"):
                file.execute(statement)


@pytest.mark.parametrize(
    ("statement", "said"),
    [
        (
            "UPDATE audit SET content = replace(content, '22', '11') WHERE number = 1",
            "Entry 1 was changed after it was written.",
        ),
        ("UPDATE audit SET seal = '0' WHERE number = 2", "Entry 2 was changed after it was written."),
        ("DELETE FROM audit WHERE number = 2", "Entry 2 is missing."),
        ("DELETE FROM audit WHERE number = 3", "The entries after 2 are missing: there were 3."),
        ("DELETE FROM audit", "The entries after 0 are missing: there were 3."),
        (
            "UPDATE audit SET number = -number; UPDATE audit SET number = 4 + number",
            "Entry 1 was changed after it was written.",
        ),
    ],
)
async def test_what_was_changed_behind_the_bots_back_shows(store: Store, path: Path, statement: str, said: str) -> None:
    await three_decisions(store)
    with closing(sqlite3.connect(path)) as file:
        file.executescript(f"DROP TRIGGER audit_unchanged; DROP TRIGGER audit_whole; {statement};")
    fault = verify(path).fault
    assert fault is not None
    assert fault.sentence == said


async def test_an_entry_written_anew_with_its_own_seal_breaks_the_next(store: Store, path: Path) -> None:
    await three_decisions(store)
    first = entries(path)[0]
    forged = audit_log.to_json(replace(first.entry, by=ADA))
    with closing(sqlite3.connect(path, isolation_level=None)) as file:
        file.execute("DROP TRIGGER audit_unchanged")
        seal = audit_log.seal(1, audit_log.START, forged)
        file.execute("UPDATE audit SET content = ?, seal = ? WHERE number = 1", (forged, seal))
    fault = verify(path).fault
    assert fault is not None
    assert fault.number == 2


async def test_an_entry_taken_off_the_end_is_not_hidden_by_the_next_decision(store: Store, path: Path) -> None:
    await three_decisions(store)
    with closing(sqlite3.connect(path, isolation_level=None)) as file:
        file.execute("DROP TRIGGER audit_whole")
        file.execute("DELETE FROM audit WHERE number = 3")
    store.record(entries(path)[0].entry)
    fault = verify(path).fault
    assert fault is not None
    assert fault.sentence == "Entry 3 is missing."


def test_a_very_long_text_is_named_by_its_hash(store: Store, path: Path) -> None:
    entry = audit_log.Entry(1.0, "shop", 7, "Write", "allowed", "button", asked={"content": "x" * 300_000})
    store.record(entry)
    (kept,) = entries(path)
    assert len(kept.content) < 25_000
    assert "300000 characters in all, SHA-256 " in json.loads(kept.content)["asked"]["content"]
    assert verify(path).fault is None


def test_strange_characters_are_kept_as_they_were(store: Store, path: Path) -> None:
    command = "echo \ud800 \u202e ü \x00 \U0001f600"
    store.record(audit_log.Entry(1.0, "shop", 7, "Bash", "allowed", "button", asked={"command": command}))
    assert entries(path)[0].entry.asked == {"command": command}
    assert verify(path).fault is None


def test_a_state_file_that_is_not_there_is_one_sentence(path: Path) -> None:
    with pytest.raises(StateError, match="There is no state file"):
        entries(path)
