"""Tests that sent messages are read from the state file of every version."""

import sqlite3
from pathlib import Path

import pytest

from bot.sent_message import (
    AnsweringClick,
    Deleted,
    Editing,
    InDoubt,
    MessageState,
    Missing,
    Sending,
    SentMessage,
    Standing,
)
from bot.store import Store

ROWS: list[tuple[int, str, MessageState]] = [
    (0, "", Sending()),
    (-7, "", Sending(replaces=7)),
    (7, "f:r", Standing(7, "f:r")),
    (7, "!", Editing(7)),
    (7, "~f:r", AnsweringClick(7, "f:r")),
    (7, "", InDoubt(7)),
    (-7, "f:r", Missing(7)),
    (0, "f:r", Deleted()),
]


def written(path: Path) -> tuple[int, str]:
    connection = sqlite3.connect(path)
    (row,) = connection.execute("SELECT message, digest FROM standing").fetchall()
    connection.close()
    return int(row[0]), str(row[1])


@pytest.mark.parametrize(("message", "digest", "state"), ROWS)
def test_a_row_of_the_version_before_is_read_as_it_was_meant(
    tmp_path: Path, message: int, digest: str, state: MessageState
) -> None:
    path = tmp_path / "state.sqlite3"
    with Store.open(path) as store:
        row = ("a turn", "0", 3, message, digest)
        store._db.execute("INSERT INTO standing (view, key, channel, message, digest) VALUES (?, ?, ?, ?, ?)", row)
        assert store.sent_in("a turn") == [SentMessage("a turn", "0", 3, state)]
        assert store.sent_as(7) == (SentMessage("a turn", "0", 3, state) if message == 7 else None)


@pytest.mark.parametrize(("message", "digest", "state"), ROWS)
def test_a_state_is_written_as_the_version_before_reads_it(
    tmp_path: Path, message: int, digest: str, state: MessageState
) -> None:
    path = tmp_path / "state.sqlite3"
    with Store.open(path) as store:
        store.save_sent(SentMessage("a turn", "0", 3, state))
        assert [sent.state for sent in store.sent_in("a turn")] == [state]
    said = written(path)
    assert said[0] == message
    assert said[1] == digest or (said[1] and isinstance(state, Missing | Deleted)), "any digest will do for these"


@pytest.mark.parametrize("state", [Editing(7), AnsweringClick(7, "f:r"), InDoubt(7)])
def test_what_was_under_way_when_the_bot_died_is_in_doubt(tmp_path: Path, state: MessageState) -> None:
    with Store.open(tmp_path / "state.sqlite3") as store:
        store.save_sent(SentMessage("a turn", "0", 3, state))
    with Store.open(tmp_path / "state.sqlite3") as store:
        assert [sent.state for sent in store.unsettled(3)] == [InDoubt(7)]
        assert store.unfinished() == {3}


@pytest.mark.parametrize("state", [Standing(7, "f:r"), Missing(7), Deleted()])
def test_what_was_settled_is_left_alone(tmp_path: Path, state: MessageState) -> None:
    with Store.open(tmp_path / "state.sqlite3") as store:
        store.save_sent(SentMessage("a turn", "0", 3, state))
    with Store.open(tmp_path / "state.sqlite3") as store:
        assert [sent.state for sent in store.sent_in("a turn")] == [state]
        assert store.unsettled(3) == []


def test_an_edit_that_came_after_an_answer_to_a_click_counts(tmp_path: Path) -> None:
    with Store.open(tmp_path / "state.sqlite3") as store:
        answer = SentMessage("a turn", "card-x", 3, AnsweringClick(7, "new"))
        store.save_sent(answer)
        store.save_sent(answer.becomes(Standing(7, "old")))
        store.replace_sent(answer, Standing(7, "new"))
        assert [sent.state for sent in store.sent_in("a turn")] == [Standing(7, "old")]
