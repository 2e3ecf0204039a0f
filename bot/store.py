"""The state file: everything that must survive the bot's death, in SQLite."""

import json
import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager
from dataclasses import asdict
from pathlib import Path
from typing import Any, Self

from bot.errors import StateError
from bot.records import ConversationRecord, Prompt, PromptState, RunRecord, Standing, TurnRecord
from bot.tickets import Decided, Draft, Open, Origin, State, Ticket, Withdrawn
from shared.protocol import Request, decision_adapter

SCHEMA_VERSION = 1

_SCHEMA = """
CREATE TABLE conversation (
    id INTEGER PRIMARY KEY, project TEXT NOT NULL, title TEXT NOT NULL, created_at REAL NOT NULL, session TEXT
) STRICT;
CREATE TABLE run (
    id TEXT PRIMARY KEY, conversation INTEGER NOT NULL, token_hash TEXT NOT NULL UNIQUE, started_at REAL NOT NULL,
    pid INTEGER, pid_started REAL, ended_at REAL
) STRICT;
CREATE TABLE prompt (
    id INTEGER PRIMARY KEY, conversation INTEGER NOT NULL, author INTEGER NOT NULL, text TEXT NOT NULL,
    at REAL NOT NULL, files TEXT NOT NULL, state TEXT NOT NULL
) STRICT;
CREATE INDEX prompt_waiting ON prompt (conversation) WHERE state IN ('queued', 'sent');
CREATE TABLE turn (
    id TEXT PRIMARY KEY, conversation INTEGER NOT NULL, run TEXT NOT NULL, offset INTEGER NOT NULL,
    started_at REAL NOT NULL, prompt INTEGER, prompted_by INTEGER, "end" INTEGER
) STRICT;
CREATE INDEX turn_run ON turn (run);
CREATE TABLE ticket (
    id TEXT PRIMARY KEY, conversation INTEGER NOT NULL, run TEXT NOT NULL, tool_use_id TEXT NOT NULL,
    request TEXT NOT NULL, origin TEXT NOT NULL, opened_at REAL NOT NULL, state TEXT NOT NULL, detail TEXT NOT NULL,
    draft TEXT NOT NULL, before TEXT, turn TEXT NOT NULL,
    UNIQUE (run, tool_use_id)
) STRICT;
CREATE INDEX ticket_open ON ticket (conversation) WHERE state = 'open';
CREATE TABLE standing (
    view TEXT NOT NULL, key TEXT NOT NULL, channel INTEGER NOT NULL, message INTEGER NOT NULL, digest TEXT NOT NULL,
    PRIMARY KEY (view, key)
) STRICT;
CREATE INDEX standing_message ON standing (message);
"""


class Store:
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
            except (sqlite3.Error, OSError) as error:
                raise StateError(f"The state file {path} can't be used: {error}.") from error
            yield cls(connection)

    # Conversations

    def add_conversation(self, record: ConversationRecord) -> None:
        self._insert("conversation", asdict(record))

    def conversation(self, conversation: int) -> ConversationRecord | None:
        row = self._one("SELECT * FROM conversation WHERE id = ?", conversation)
        return ConversationRecord(**row) if row else None

    def conversations(self) -> list[ConversationRecord]:
        return [ConversationRecord(**row) for row in self._all("SELECT * FROM conversation ORDER BY id")]

    def set_session(self, conversation: int, session: str | None) -> None:
        self._db.execute("UPDATE conversation SET session = ? WHERE id = ?", (session, conversation))

    def forget_conversation(self, conversation: int) -> None:
        """Remove a conversation whose thread is gone; what was decided in it stays on record."""
        with self._db:
            self._db.execute("DELETE FROM conversation WHERE id = ?", (conversation,))
            self._db.execute("DELETE FROM prompt WHERE conversation = ?", (conversation,))
            self._db.execute("DELETE FROM standing WHERE channel = ?", (conversation,))

    def unfinished(self) -> set[int]:
        """Conversations with something to pick up: a run that was alive, or prompts that wait."""
        rows = self._all(
            "SELECT conversation FROM run WHERE ended_at IS NULL"
            " UNION SELECT conversation FROM prompt WHERE state IN ('queued', 'sent')"
            " UNION SELECT conversation FROM ticket WHERE state = 'open'"
        )
        return {row["conversation"] for row in rows}

    # Runs

    def add_run(self, record: RunRecord) -> None:
        self._insert("run", asdict(record))

    def set_process(self, run: str, pid: int, pid_started: float | None) -> None:
        self._db.execute("UPDATE run SET pid = ?, pid_started = ? WHERE id = ?", (pid, pid_started, run))

    def end_run(self, run: str, at: float) -> None:
        self._db.execute("UPDATE run SET ended_at = ? WHERE id = ?", (at, run))

    def run_by_token(self, token_hash: str) -> RunRecord | None:
        row = self._one("SELECT * FROM run WHERE token_hash = ?", token_hash)
        return RunRecord(**row) if row else None

    def live_runs(self, conversation: int) -> list[RunRecord]:
        rows = self._all(
            "SELECT * FROM run WHERE conversation = ? AND ended_at IS NULL ORDER BY started_at", conversation
        )
        return [RunRecord(**row) for row in rows]

    # Prompts

    def add_prompt(self, prompt: Prompt) -> bool:
        """Keep a prompt; False if this message is known already."""
        values = asdict(prompt) | {"files": json.dumps(prompt.files)}
        return self._insert("prompt", values, otherwise="OR IGNORE")

    def set_prompt(self, prompt: int, state: PromptState) -> None:
        self._db.execute("UPDATE prompt SET state = ? WHERE id = ?", (state, prompt))

    def waiting_prompts(self, conversation: int) -> list[Prompt]:
        """Prompts that have not come to their end, oldest first."""
        rows = self._all(
            "SELECT * FROM prompt WHERE conversation = ? AND state IN ('queued', 'sent') ORDER BY id",
            conversation,
        )
        return [Prompt(**(row | {"files": tuple(json.loads(row["files"]))})) for row in rows]

    # Turns

    def add_turn(self, turn: TurnRecord) -> None:
        self._insert("turn", asdict(turn))

    def end_turn(self, turn: str, offset: int) -> None:
        self._db.execute('UPDATE turn SET "end" = ? WHERE id = ?', (offset, turn))

    def turns(self, run: str) -> list[TurnRecord]:
        """The turns of a run, in order; only the last may be unfinished."""
        return [TurnRecord(**row) for row in self._all("SELECT * FROM turn WHERE run = ? ORDER BY offset", run)]

    # Tickets

    def add_ticket(self, ticket: Ticket, run: str, turn: str) -> None:
        state, detail = _dump_state(ticket.state)
        self._insert(
            "ticket",
            {
                "id": ticket.id,
                "conversation": ticket.conversation,
                "run": run,
                "tool_use_id": ticket.request.tool_use_id,
                "request": ticket.request.model_dump_json(),
                "origin": json.dumps(asdict(ticket.origin)),
                "opened_at": ticket.opened_at,
                "state": state,
                "detail": detail,
                "draft": _dump_draft(ticket.draft),
                "before": ticket.before,
                "turn": turn,
            },
        )

    def save_ticket(self, ticket: Ticket) -> None:
        """Write down the ticket's state and draft; the rest never changes."""
        state, detail = _dump_state(ticket.state)
        self._db.execute(
            "UPDATE ticket SET state = ?, detail = ?, draft = ? WHERE id = ?",
            (state, detail, _dump_draft(ticket.draft), ticket.id),
        )

    def ticket(self, ticket: str) -> Ticket | None:
        row = self._one("SELECT * FROM ticket WHERE id = ?", ticket)
        return _load_ticket(row) if row else None

    def ticket_for(self, run: str, tool_use_id: str) -> Ticket | None:
        row = self._one("SELECT * FROM ticket WHERE run = ? AND tool_use_id = ?", run, tool_use_id)
        return _load_ticket(row) if row else None

    def open_tickets(self, conversation: int) -> list[Ticket]:
        rows = self._all(
            "SELECT * FROM ticket WHERE conversation = ? AND state = 'open' ORDER BY opened_at", conversation
        )
        return [_load_ticket(row) for row in rows]

    def tickets_of(self, turn: str) -> list[Ticket]:
        """The tickets whose cards stand in a turn."""
        rows = self._all("SELECT * FROM ticket WHERE turn = ? ORDER BY opened_at", turn)
        return [_load_ticket(row) for row in rows]

    def view_of_ticket(self, ticket: str) -> str | None:
        """The turn in which a ticket's card stands."""
        row = self._one("SELECT turn FROM ticket WHERE id = ?", ticket)
        return row["turn"] if row else None

    # What stands in Discord

    def stand(self, standing: Standing) -> None:
        self._insert("standing", asdict(standing), otherwise="OR REPLACE")

    def standing(self, view: str) -> list[Standing]:
        return [Standing(**row) for row in self._all("SELECT * FROM standing WHERE view = ? ORDER BY message", view)]

    def standing_message(self, message: int) -> Standing | None:
        row = self._one("SELECT * FROM standing WHERE message = ?", message)
        return Standing(**row) if row else None

    def fall(self, view: str, key: str) -> None:
        self._db.execute("DELETE FROM standing WHERE view = ? AND key = ?", (view, key))

    # SQL

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
    if version > SCHEMA_VERSION:
        raise StateError(
            f"{path} was written by a newer claude-discord; update this one, or name another state folder."
        )
    if version == 0:
        connection.executescript(f"BEGIN; {_SCHEMA} PRAGMA user_version = {SCHEMA_VERSION}; COMMIT;")


def _dump_state(state: State) -> tuple[str, str]:
    match state:
        case Open():
            return "open", "{}"
        case Decided(decision, by, at, note):
            plain = decision.model_dump(mode="json", by_alias=True, exclude_none=True)
            return "decided", json.dumps({"decision": plain, "by": by, "at": at, "note": note})
        case Withdrawn(reason, at):
            return "withdrawn", json.dumps({"reason": reason, "at": at})


def _load_state(state: str, detail: dict[str, Any]) -> State:
    match state:
        case "open":
            return Open()
        case "decided":
            return Decided(**(detail | {"decision": decision_adapter.validate_python(detail["decision"])}))
        case _:
            return Withdrawn(**detail)


def _dump_draft(draft: Draft) -> str:
    return json.dumps({"answers": {str(n): list(a) for n, a in draft.answers.items()}, "panel": draft.panel})


def _load_draft(text: str) -> Draft:
    raw = json.loads(text)
    return Draft(answers={int(n): tuple(a) for n, a in raw["answers"].items()}, panel=raw["panel"])


def _load_ticket(row: dict[str, Any]) -> Ticket:
    return Ticket(
        id=row["id"],
        conversation=row["conversation"],
        request=Request.model_validate_json(row["request"]),
        origin=Origin(**json.loads(row["origin"])),
        opened_at=row["opened_at"],
        state=_load_state(row["state"], json.loads(row["detail"])),
        draft=_load_draft(row["draft"]),
        before=row["before"],
    )
