"""Tests that old data is deleted, new or active data stays, and nothing outside the state folder is touched."""

import os
import time
from dataclasses import replace
from pathlib import Path

import pytest

from bot.permission_requests.ticket import Decided, Open, Ticket
from bot.records import ConversationRecord, Prompt, RunRecord, TurnRecord
from bot.retention import DAY, Retention
from bot.sent_message import SentMessage, Standing
from bot.store import Store
from shared.protocol import Deny
from tests.fixtures.tickets import permission_request

NOW = time.time()
OLD, NEW = NOW - 100 * DAY, NOW - 10 * DAY
RUN = RunRecord("new", 3, "hash-new", NEW, ended_at=NEW)


def ticket(name: str, run: str, state: Decided | Open) -> Ticket:
    return Ticket(name, permission_request("Bash", {}, name=name, run=run, conversation=3), OLD, state)


@pytest.fixture
def state(tmp_path: Path) -> Path:
    """A state folder with an old run, a new one, an old one that is still running, and one that is not in the store."""
    state = tmp_path / "state"
    state.mkdir()
    with Store.open(state / "state.sqlite3") as store:
        store.add_conversation(ConversationRecord(3, "demo", "a thread", OLD, "a-session"))
        store.add_run(RUN)
        store.add_run(replace(RUN, id="old", token_hash="hash-old", started_at=OLD, ended_at=OLD))
        store.add_run(replace(RUN, id="going-on", token_hash="hash-live", started_at=OLD, ended_at=None))
        for run in ("old", "new", "going-on"):
            store.add_turn(TurnRecord(f"turn-{run}", 3, run, 0, OLD))
            store.save_sent(SentMessage(f"turn-{run}", "0", 3, Standing(7, "digest")))
        store.add_ticket(ticket("decided", "old", Decided(Deny(message="No."), 1, OLD)), "turn-old")
        store.add_ticket(ticket("open", "going-on", Open()), "turn-going-on")
        for number, (age, done) in enumerate(((OLD, "done"), (OLD, "queued"), (NEW, "done"))):
            store.add_prompt(Prompt(10 + number, 3, 1, "Hello", age, state=done))  # type: ignore[arg-type]
    for run, age in (("old", OLD), ("new", NEW), ("going-on", OLD), ("forgotten", OLD), ("unknown", NEW)):
        aged(state / "runs" / run / "journal.jsonl", age)
    aged(state / "attachments" / "3" / "old.png", OLD)
    aged(state / "attachments" / "3" / "new.png", NEW)
    return state


def aged(path: Path, moment: float) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("x", encoding="utf-8")
    os.utime(path, (moment, moment))
    os.utime(path.parent, (moment, moment))


async def test_what_is_older_than_it_may_be_goes_and_the_rest_stays(state: Path) -> None:
    with Store.open(state / "state.sqlite3") as store:
        await Retention(store, state, 90.0).sweep()
        assert store.runs() == {"new", "going-on"}
        assert store.ticket("decided") is None
        assert store.ticket("open") is not None
        assert [len(store.sent_in(f"turn-{run}")) for run in ("old", "new", "going-on")] == [0, 1, 1]
        assert [prompt.id for prompt in store.waiting_prompts(3)] == [11]
        assert not store.add_prompt(Prompt(12, 3, 1, "Hello", NEW)), "still known"
        assert store.conversation(3) is not None, "its session can be resumed for ever"
    assert {path.name for path in (state / "runs").iterdir()} == {"new", "going-on", "unknown"}
    assert [path.name for path in (state / "attachments" / "3").iterdir()] == ["new.png"]


async def test_a_link_is_removed_and_not_followed(state: Path, tmp_path: Path) -> None:
    precious = tmp_path / "precious"
    aged(precious / "file", OLD)
    link = state / "runs" / "link"
    link.symlink_to(precious)
    os.utime(link, (OLD, OLD), follow_symlinks=False)
    with Store.open(state / "state.sqlite3") as store:
        await Retention(store, state, 90.0).sweep()
    assert not link.is_symlink()
    assert (precious / "file").exists()


async def test_nought_days_keep_everything(state: Path) -> None:
    with Store.open(state / "state.sqlite3") as store:
        await Retention(store, state, 0.0).keep()
        assert "old" in store.runs()
    assert (state / "runs" / "forgotten").exists()
