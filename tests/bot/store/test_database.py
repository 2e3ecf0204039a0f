"""Tests a state file that is damaged, read-only, of another version, or in use."""

import logging
import os
import sqlite3
import subprocess
import sys
from pathlib import Path

import pytest

from bot.errors import StateError
from bot.records import ConversationRecord
from bot.store import Store
from bot.store.schema import MIGRATIONS

RECORD = ConversationRecord(3, "demo", "a thread", 0.0, "a-session")


@pytest.fixture
def path(tmp_path: Path) -> Path:
    path = tmp_path / "state.sqlite3"
    with Store.open(path) as store:
        store.add_conversation(RECORD)
    return path


@pytest.mark.parametrize("damage", ["no database at all", "the beginning", "the middle", "half of it"])
def test_a_damaged_file_is_kept_aside_and_a_new_one_begun(
    path: Path, damage: str, caplog: pytest.LogCaptureFixture
) -> None:
    content = bytearray(path.read_bytes())
    match damage:
        case "no database at all":
            content = bytearray(b"I am a text file.\n" * 400)
        case "the beginning":
            content[:100] = os.urandom(100)
        case "the middle":
            content[4096:20000] = os.urandom(20000 - 4096)
        case "half of it":
            content = content[: len(content) // 2]
    path.write_bytes(content)
    with caplog.at_level(logging.WARNING), Store.open(path) as store:
        assert store.conversations() == []
        store.add_conversation(RECORD)
    (aside,) = path.parent.glob("*.damaged-*")
    assert aside.read_bytes() == bytes(content)
    assert str(aside) in caplog.text
    with Store.open(path) as store:
        assert store.conversation(3) == RECORD


def test_a_file_that_can_not_be_written_is_one_sentence_with_the_cure(tmp_path: Path) -> None:
    with (
        pytest.raises(StateError, match=r"can't be used: .*choose another folder with `state`\.$"),
        Store.open(tmp_path),
    ):
        pass


def test_a_file_of_a_newer_version_is_left_alone(path: Path) -> None:
    with sqlite3.connect(path) as connection:
        connection.execute(f"PRAGMA user_version = {len(MIGRATIONS) + 1}")
    connection.close()
    before = path.read_bytes()
    with pytest.raises(StateError, match="written by a newer claude-discord"), Store.open(path):
        pass
    assert path.read_bytes() == before


@pytest.mark.parametrize("version", range(1, len(MIGRATIONS)))
def test_the_state_of_every_older_version_is_brought_up_to_this_one(tmp_path: Path, version: int) -> None:
    path = tmp_path / "state.sqlite3"
    with sqlite3.connect(path) as connection:
        for number, script in enumerate(MIGRATIONS[:version], 1):
            connection.executescript(f"{script} PRAGMA user_version = {number};")
        connection.execute(
            "INSERT INTO conversation (id, project, title, created_at, session) VALUES (3, 'demo', 'a thread', 0, 's')"
        )
        connection.execute(
            "INSERT INTO prompt (id, conversation, author, text, at, files, state)"
            " VALUES (5, 3, 1, 'Hi', 0, '[]', 'queued')"
        )
        connection.execute(
            "INSERT INTO turn (id, conversation, run, offset, started_at, \"end\") VALUES ('t', 3, 'r', 0, 0, 10)"
        )
    connection.close()
    with Store.open(path) as store:
        assert store.conversation(3) is not None
        assert [prompt.text for prompt in store.waiting_prompts(3)] == ["Hi"]
        # Turns of a bot that did not yet record what it had shown are not shown again.
        assert [turn.id for turn in store.unshown_turns(3)] == ([] if version < 3 else ["t"])
        assert store.unfinished() == {3}
    with Store.open(path) as store, sqlite3.connect(path) as connection:
        assert connection.execute("PRAGMA user_version").fetchone() == (len(MIGRATIONS),)
        assert len(store.conversations()) == 1
    connection.close()


def test_a_full_disk_is_one_sentence_and_the_file_is_still_good(tmp_path: Path) -> None:
    """A process with a limit on file sizes gets the same error as one on a full disk."""
    program = """
import resource, signal, sys
from pathlib import Path
from bot.errors import StateError
from bot.store import Store
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
resource.setrlimit(resource.RLIMIT_FSIZE, (8192, 8192))
try:
    with Store.open(Path(sys.argv[1])):
        print("opened")
except StateError as error:
    print(error)
"""
    path = tmp_path / "state.sqlite3"
    done = subprocess.run(
        [sys.executable, "-c", program, str(path)], capture_output=True, text=True, check=True, timeout=30
    )
    assert "can't be used" in done.stdout
    assert "the disk is not full" in done.stdout
    with Store.open(path) as store:
        assert store.conversations() == []
