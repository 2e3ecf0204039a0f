"""The state file itself: SQLite, private, and brought up to this version."""

import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any, Self

from bot.errors import StateError
from bot.records import BEING_ANSWERED
from bot.store.schema import MIGRATIONS


class Database:
    """Small synchronous reads and writes; each write is on disk when it returns (WAL)."""

    def __init__(self, connection: sqlite3.Connection) -> None:
        self._db = connection

    @classmethod
    @contextmanager
    def open(cls, path: Path) -> Iterator[Self]:
        try:
            connection = sqlite3.connect(path, isolation_level=None)
        except sqlite3.Error as error:
            raise StateError(f"The state file {path} can't be used: {error}.") from error
        with closing(connection):
            try:
                path.chmod(0o600)
                connection.execute("PRAGMA journal_mode = WAL")
                connection.execute("PRAGMA synchronous = NORMAL")
                _migrate(connection, path)
                # Whether the answers to the last clicks got through, the bot that gave them did not live to tell.
                connection.execute(f"UPDATE standing SET digest = '' WHERE digest LIKE '{BEING_ANSWERED}%'")  # noqa: S608
            except (sqlite3.Error, OSError) as error:
                raise StateError(f"The state file {path} can't be used: {error}.") from error
            yield cls(connection)

    @contextmanager
    def _at_once(self) -> Iterator[None]:
        """Let all writes of the block happen, or none."""
        self._db.execute("BEGIN IMMEDIATE")
        try:
            yield
        except BaseException:
            self._db.execute("ROLLBACK")
            raise
        self._db.execute("COMMIT")

    def _insert(self, table: str, values: dict[str, Any], otherwise: str = "") -> bool:
        names = ", ".join(f'"{name}"' for name in values)
        marks = ", ".join("?" * len(values))
        cursor = self._db.execute(
            f"INSERT {otherwise} INTO {table} ({names}) VALUES ({marks})",  # noqa: S608 - names are ours
            list(values.values()),
        )
        return cursor.rowcount > 0

    def _one(self, sql: str, *values: Any) -> dict[str, Any] | None:
        rows = self._all(sql, *values)
        return rows[0] if rows else None

    def _all(self, sql: str, *values: Any) -> list[dict[str, Any]]:
        cursor = self._db.execute(sql, values)
        names = [column[0] for column in cursor.description]
        return [dict(zip(names, row, strict=True)) for row in cursor]


def _migrate(connection: sqlite3.Connection, path: Path) -> None:
    (version,) = connection.execute("PRAGMA user_version").fetchone()
    if version > len(MIGRATIONS):
        raise StateError(
            f"{path} was written by a newer claude-discord; update this one, or name another state folder."
        )
    for number, script in enumerate(MIGRATIONS[version:], version + 1):
        connection.executescript(f"BEGIN; {script} PRAGMA user_version = {number}; COMMIT;")
