"""The audit log in the state file: entries are added, never changed or removed."""

import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any

from bot import audit_log as audit
from bot.audit_log import Entry, Sealed, Verdict
from bot.errors import StateError
from bot.store.database import Database

_ALL = "SELECT number, content, seal FROM audit"
_HIGHEST = "SELECT seq FROM sqlite_sequence WHERE name = 'audit'"


class AuditTable(Database):
    """The entries of the audit log."""

    def record(self, entry: Entry) -> None:
        """Add an entry, with a seal over it and the seal before it."""
        with self._transaction():
            self._record(entry)

    def _record(self, entry: Entry) -> None:
        last = self._one(f"{_ALL} ORDER BY number DESC LIMIT 1")
        highest = self._one(_HIGHEST)
        number = (highest["seq"] if highest else 0) + 1
        content = audit.to_json(entry)
        seal = audit.seal(number, last["seal"] if last else audit.START, content)
        self._insert("audit", {"number": number, "content": content, "seal": seal})

    def passed(self, run: str, tool_use_id: str) -> Entry | None:
        """Return the entry of a tool use that a rule allowed, if any."""
        row = self._one(f"{_ALL} WHERE source = 'rule' AND run = ? AND tool_use_id = ?", run, tool_use_id)
        return Sealed(**row).entry if row else None

    def audit(self, project: str, limit: int) -> list[Sealed]:
        """Return the last entries of a project, newest first."""
        rows = self._all(f"{_ALL} WHERE project = ? ORDER BY number DESC LIMIT ?", project, limit)
        return [Sealed(**row) for row in rows]

    def check_audit(self) -> Verdict:
        """Verify the whole audit log."""
        return _verify(self._db)


def entries(path: Path) -> list[Sealed]:
    """Read the whole audit log from a state file, oldest first; the bot may be running or not."""
    with _read_only(path) as connection:
        return list(_rows(connection))


def verify(path: Path) -> Verdict:
    """Verify the whole audit log in a state file; the bot may be running or not."""
    with _read_only(path) as connection:
        connection.execute("BEGIN")  # one snapshot for both reads
        return _verify(connection)


def _verify(connection: sqlite3.Connection) -> Verdict:
    highest = connection.execute(_HIGHEST).fetchone()
    return audit.check(_rows(connection), highest[0] if highest else 0)


def _rows(connection: sqlite3.Connection) -> Iterator[Sealed]:
    rows: Iterator[tuple[Any, ...]] = connection.execute(f"{_ALL} ORDER BY number")
    return (Sealed(*row) for row in rows)


@contextmanager
def _read_only(path: Path) -> Iterator[sqlite3.Connection]:
    if not path.exists():
        raise StateError(f"There is no state file {path}. Start the bot with this configuration first.")
    try:
        with closing(sqlite3.connect(f"{path.resolve().as_uri()}?mode=ro", uri=True, isolation_level=None)) as file:
            yield file
    except sqlite3.Error as error:
        raise StateError(
            f"The audit log in {path} can't be read: {error}. Check that the file is yours and not damaged."
        ) from error
