"""Opens the state file: SQLite, readable only by the owner, migrated to the current version."""

import logging
import sqlite3
import time
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any, Self

from bot.errors import StateError
from bot.store.schema import MIGRATIONS
from bot.store.sent_message_rows import AFTER_A_CRASH

DAMAGED = frozenset({sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB})
DAMAGED_MESSAGE = (
    "The state file %s is damaged. It was renamed to %s, and a new one was created. You can still write in old "
    "threads, but their sessions, open cards and queued prompts are lost."
)

log = logging.getLogger(__name__)


class Database:
    """Runs small synchronous reads and writes; each write is on disk when it returns (WAL)."""

    def __init__(self, connection: sqlite3.Connection) -> None:
        self._db = connection

    @classmethod
    @contextmanager
    def open(cls, path: Path) -> Iterator[Self]:
        """Open the file inside the block; rename a damaged file and start a new one."""
        try:
            try:
                connection = _open(path)
            except sqlite3.DatabaseError as error:
                if getattr(error, "sqlite_errorcode", None) not in DAMAGED:
                    raise
                log.warning(DAMAGED_MESSAGE, path, _rename_damaged(path))
                connection = _open(path)
        except (sqlite3.Error, OSError) as error:
            raise StateError(
                f"The state file {path} can't be used: {error}. Check that it is yours, that it can be written and "
                "that the disk is not full, or choose another folder with `state`."
            ) from error
        with closing(connection):
            yield cls(connection)

    @contextmanager
    def _transaction(self) -> Iterator[None]:
        """Make the writes of the block atomic."""
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
        try:
            cursor = self._db.execute(sql, values)
        except OverflowError:  # from a forged button: no row has a number that SQLite can't store
            return []
        names = [column[0] for column in cursor.description]
        return [dict(zip(names, row, strict=True)) for row in cursor]


def _open(path: Path) -> sqlite3.Connection:
    connection = sqlite3.connect(path, isolation_level=None)
    try:
        path.chmod(0o600)
        connection.execute("PRAGMA journal_mode = WAL")
        connection.execute("PRAGMA synchronous = NORMAL")
        _check(connection)
        _migrate(connection, path)
        connection.execute(AFTER_A_CRASH)
    except BaseException:
        connection.close()
        raise
    return connection


def _check(connection: sqlite3.Connection) -> None:
    """Find damage now rather than in the middle of a turn."""
    (found,) = connection.execute("PRAGMA quick_check(1)").fetchone()
    if found != "ok":
        damage = sqlite3.DatabaseError(found)
        damage.sqlite_errorcode = sqlite3.SQLITE_CORRUPT
        raise damage


def _rename_damaged(path: Path) -> Path:
    """Rename a damaged file and its -wal and -shm files."""
    aside = path.with_name(f"{path.name}.damaged-{time.strftime('%Y%m%d-%H%M%S')}")
    for suffix in ("", "-wal", "-shm"):
        part = path.with_name(path.name + suffix)
        if part.exists():
            part.rename(aside.with_name(aside.name + suffix))
    return aside


def _migrate(connection: sqlite3.Connection, path: Path) -> None:
    (version,) = connection.execute("PRAGMA user_version").fetchone()
    if version > len(MIGRATIONS):
        raise StateError(
            f"{path} was written by a newer claude-discord. Update this one, or choose another folder with `state`."
        )
    for number, script in enumerate(MIGRATIONS[version:], version + 1):
        connection.executescript(f"BEGIN; {script} PRAGMA user_version = {number}; COMMIT;")
