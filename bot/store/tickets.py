"""Permission requests and their outcomes, in the state file."""

import json
import sqlite3
from collections import deque
from dataclasses import asdict
from typing import Any
from weakref import WeakValueDictionary

from bot.audit_log import entry_of
from bot.permission_requests.file_snapshot import FileSnapshot
from bot.permission_requests.permission_request import PermissionRequest, RequestOrigin
from bot.permission_requests.ticket import Decided, Draft, Open, State, Ticket, Withdrawn
from bot.store.audit_log import AuditTable
from shared.protocol import Request, decision_adapter

CACHED = 16
"""Number of tickets kept in memory: a turn that has just ended is shown once more."""


class TicketTable(AuditTable):
    """Stores all permission requests, each with its outcome."""

    def __init__(self, connection: sqlite3.Connection) -> None:
        super().__init__(connection)
        self._loaded: WeakValueDictionary[str, Ticket] = WeakValueDictionary()
        """The tickets in use, so that each is decoded once, as are the values computed from it."""
        self._latest: deque[Ticket] = deque(maxlen=CACHED)

    def add_ticket(self, ticket: Ticket, turn: str) -> None:
        state, detail = _dump_state(ticket.state)
        self._insert(
            "ticket",
            {
                "id": ticket.id,
                "conversation": ticket.conversation,
                "run": ticket.request.run,
                "tool_use_id": ticket.request.tool_use_id,
                "request": ticket.request.call.model_dump_json(),
                "origin": json.dumps(asdict(ticket.origin)),
                "opened_at": ticket.opened_at,
                "state": state,
                "detail": detail,
                "draft": _dump_draft(ticket.draft),
                "before": ticket.file.text,
                "file_exists": ticket.file.exists,
                "leads_to": ticket.file.leads_to,
                "hidden": ticket.file.hidden,
                "stamp": ticket.file.stamp,
                "changed_at": ticket.changed_at,
                "turn": turn,
            },
        )
        self._keep(ticket)

    def save_ticket(self, ticket: Ticket) -> None:
        """Save the ticket's state and draft; except for its file, nothing else ever changes."""
        self._save(ticket)
        self._keep(ticket)

    def save_file(self, ticket: Ticket) -> None:
        """Save the last snapshot of the ticket's file."""
        file = ticket.file
        self._db.execute(
            "UPDATE ticket SET before = ?, file_exists = ?, leads_to = ?, hidden = ?, stamp = ?, changed_at = ? "
            "WHERE id = ?",
            (file.text, file.exists, file.leads_to, file.hidden, file.stamp, ticket.changed_at, ticket.id),
        )
        self._keep(ticket)

    def close_ticket(self, ticket: Ticket) -> None:
        """Save the outcome of a ticket together with its audit log entry: both or neither."""
        with self._transaction():
            self._save(ticket)
            self._record(entry_of(ticket))
            # The card may be in a turn that has ended: the next bot draws it if this one no longer can.
            self._db.execute(
                'UPDATE turn SET shown = 0 WHERE "end" IS NOT NULL AND id = (SELECT turn FROM ticket WHERE id = ?)',
                (ticket.id,),
            )
        self._keep(ticket)

    def _save(self, ticket: Ticket) -> None:
        state, detail = _dump_state(ticket.state)
        self._db.execute(
            "UPDATE ticket SET state = ?, detail = ?, draft = ? WHERE id = ?",
            (state, detail, _dump_draft(ticket.draft), ticket.id),
        )

    def _load(self, row: dict[str, Any]) -> Ticket:
        known = self._loaded.get(row["id"])
        if known is None:
            known = _load_ticket(row)
            self._keep(known)
        return known

    def _keep(self, ticket: Ticket) -> None:
        self._loaded[ticket.id] = ticket
        self._latest.append(ticket)

    def last_author(self, conversation: int) -> int | None:
        """Return the author of the last prompt in a conversation."""
        row = self._one("SELECT author FROM prompt WHERE conversation = ? ORDER BY id DESC LIMIT 1", conversation)
        return row["author"] if row else None

    def open_since(self) -> list[tuple[str, int, float]]:
        """Return the id, conversation and opening time of each open ticket, oldest first."""
        rows = self._all("SELECT id, conversation, opened_at FROM ticket WHERE state = 'open' ORDER BY opened_at")
        return [(row["id"], row["conversation"], row["opened_at"]) for row in rows]

    def every_open_ticket(self) -> list[Ticket]:
        """Return the open tickets of all conversations."""
        return [self._load(row) for row in self._all("SELECT * FROM ticket WHERE state = 'open' ORDER BY opened_at")]

    def ticket(self, ticket: str) -> Ticket | None:
        known = self._loaded.get(ticket)
        if known is not None and isinstance(known.state, Open):  # a settled one may have been deleted
            return known
        row = self._one("SELECT * FROM ticket WHERE id = ?", ticket)
        return self._load(row) if row else None

    def ticket_for(self, run: str, tool_use_id: str) -> Ticket | None:
        row = self._one("SELECT * FROM ticket WHERE run = ? AND tool_use_id = ?", run, tool_use_id)
        return self._load(row) if row else None

    def open_tickets(self, conversation: int) -> list[Ticket]:
        rows = self._all(
            "SELECT * FROM ticket WHERE conversation = ? AND state = 'open' ORDER BY opened_at", conversation
        )
        return [self._load(row) for row in rows]

    def tickets_of(self, turn: str) -> list[Ticket]:
        """Return the tickets whose cards are in a turn."""
        rows = self._all("SELECT * FROM ticket WHERE turn = ? ORDER BY opened_at", turn)
        return [self._load(row) for row in rows]

    def view_of_ticket(self, ticket: str) -> str | None:
        """Return the turn that has a ticket's card."""
        row = self._one("SELECT turn FROM ticket WHERE id = ?", ticket)
        return row["turn"] if row else None


def _dump_state(state: State) -> tuple[str, str]:
    match state:
        case Open():
            return "open", "{}"
        case Decided(decision, by, at, note, via):
            plain = decision.model_dump(mode="json", by_alias=True, exclude_none=True)
            return "decided", json.dumps({"decision": plain, "by": by, "at": at, "note": note, "via": via})
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
    answers = {str(n): list(a) for n, a in draft.answers.items()}
    return json.dumps({"answers": answers, "panel": draft.panel, "overheard": draft.overheard})


def _load_draft(text: str) -> Draft:
    raw = json.loads(text)
    answers = {int(n): tuple(a) for n, a in raw["answers"].items()}
    return Draft(answers, raw["panel"], raw.get("overheard", False))


def _load_ticket(row: dict[str, Any]) -> Ticket:
    return Ticket(
        id=row["id"],
        request=PermissionRequest.of(
            Request.model_validate_json(row["request"]),
            RequestOrigin(**json.loads(row["origin"])),
            conversation=row["conversation"],
            run=row["run"],
            file=FileSnapshot(row["before"], bool(row["file_exists"]), row["leads_to"], row["hidden"], row["stamp"]),
        ),
        opened_at=row["opened_at"],
        state=_load_state(row["state"], json.loads(row["detail"])),
        draft=_load_draft(row["draft"]),
        changed_at=row["changed_at"],
    )
