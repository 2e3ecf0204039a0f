"""Conversations, the runs of their processes, prompts and turns, in the state file."""

import json
from collections.abc import Sequence
from dataclasses import asdict
from typing import Any

from bot.config import Choices
from bot.records import ConversationRecord, Prompt, PromptState, RunRecord, TurnRecord
from bot.store.database import Database
from bot.store.sent_message_rows import IN_DOUBT


class ConversationTables(Database):
    """Stores conversations, runs, prompts and turns."""

    def add_conversation(self, record: ConversationRecord) -> None:
        own = record.own.model_dump_json(exclude_none=True)
        self._insert("conversation", asdict(record) | {"own": own})

    def conversation(self, conversation: int) -> ConversationRecord | None:
        row = self._one("SELECT * FROM conversation WHERE id = ?", conversation)
        return _conversation(row) if row else None

    def conversations(self) -> list[ConversationRecord]:
        return [_conversation(row) for row in self._all("SELECT * FROM conversation ORDER BY id")]

    def set_session(self, conversation: int, session: str | None) -> None:
        """Set a conversation's session; it no longer waits to fork another one."""
        self._db.execute("UPDATE conversation SET session = ?, forks = NULL WHERE id = ?", (session, conversation))

    def conversation_of_session(self, session: str) -> ConversationRecord | None:
        """Return the conversation that a session belongs to."""
        row = self._one("SELECT * FROM conversation WHERE session = ?", session)
        return _conversation(row) if row else None

    def set_own(self, conversation: int, own: Choices) -> None:
        chosen = own.model_dump_json(exclude_none=True)
        self._db.execute("UPDATE conversation SET own = ? WHERE id = ?", (chosen, conversation))

    def forget_conversation(self, conversation: int) -> None:
        """Remove a conversation whose thread was deleted; its decisions stay in the audit log."""
        with self._transaction():
            self._db.execute("DELETE FROM conversation WHERE id = ?", (conversation,))
            self._db.execute("DELETE FROM prompt WHERE conversation = ?", (conversation,))
            self._db.execute("DELETE FROM rule WHERE conversation = ?", (conversation,))
            self._db.execute("DELETE FROM standing WHERE channel = ?", (conversation,))

    def unfinished(self) -> set[int]:
        """Return the conversations with unfinished work, such as a run that did not end or waiting prompts."""
        rows = self._all(
            "SELECT conversation FROM run WHERE ended_at IS NULL"  # noqa: S608 - constants only
            " UNION SELECT conversation FROM prompt WHERE state IN ('queued', 'sent')"
            " UNION SELECT conversation FROM ticket WHERE state = 'open'"
            " UNION SELECT conversation FROM turn WHERE shown = 0"
            f" UNION SELECT channel FROM standing WHERE {IN_DOUBT}"
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
        """Add a prompt; return False if this message was added before."""
        values = asdict(prompt) | {"files": json.dumps(prompt.files)}
        return self._insert("prompt", values, otherwise="OR IGNORE")

    def set_prompt(self, prompt: int, state: PromptState) -> None:
        self._db.execute("UPDATE prompt SET state = ? WHERE id = ?", (state, prompt))

    def prompt(self, prompt: int) -> Prompt | None:
        row = self._one("SELECT * FROM prompt WHERE id = ?", prompt)
        return _prompt(row) if row else None

    def last_prompt(self, conversation: int) -> Prompt | None:
        """Return the newest prompt that was sent to Claude."""
        row = self._one(
            "SELECT * FROM prompt WHERE conversation = ? AND state IN ('sent', 'done') ORDER BY id DESC LIMIT 1",
            conversation,
        )
        return _prompt(row) if row else None

    def revise_prompt(self, prompt: int, text: str) -> None:
        """Update the text after its message was edited; the journal has what Claude was sent."""
        self._db.execute("UPDATE prompt SET text = ? WHERE id = ?", (text, prompt))

    def schedule(self, prompts: Sequence[int], after: float) -> None:
        """Schedule prompts for a time, all or none; 0 means now."""
        with self._transaction():
            self._db.executemany("UPDATE prompt SET after = ? WHERE id = ?", [(after, prompt) for prompt in prompts])

    def waiting_prompts(self, conversation: int) -> list[Prompt]:
        """Return unfinished prompts, oldest first."""
        rows = self._all(
            "SELECT * FROM prompt WHERE conversation = ? AND state IN ('queued', 'sent') ORDER BY id",
            conversation,
        )
        return [_prompt(row) for row in rows]

    # Turns

    def add_turn(self, turn: TurnRecord) -> None:
        self._insert("turn", asdict(turn))

    def end_turn(self, turn: str, offset: int, prompt: int | None = None, state: PromptState = "done") -> None:
        """End a turn together with its prompt: otherwise a crash could make the prompt run twice, or never."""
        with self._transaction():
            self._db.execute('UPDATE turn SET "end" = ? WHERE id = ?', (offset, turn))
            if prompt is not None:
                self.set_prompt(prompt, state)

    def set_cost(self, turn: str, cost: float) -> None:
        self._db.execute("UPDATE turn SET cost = ? WHERE id = ?", (cost, turn))

    def spent(self, project: str, since: float = 0.0, conversation: int | None = None) -> tuple[int, float]:
        """Return the number of turns of a project, or of one of its conversations, and their cost in US dollars."""
        row = self._one(
            "SELECT count(*) AS turns, total(turn.cost) AS cost FROM turn"
            " JOIN conversation ON conversation.id = turn.conversation"
            " WHERE conversation.project = ? AND turn.started_at >= ?"
            ' AND (? IS NULL OR turn.conversation = ?) AND (turn."end" IS NULL OR turn."end" > turn.offset)',
            project,
            since,
            conversation,
            conversation,
        )
        return (row["turns"], row["cost"]) if row else (0, 0.0)

    def set_shown(self, turn: str, *, shown: bool) -> None:
        """Remember whether Discord shows an ended turn completely."""
        self._db.execute('UPDATE turn SET shown = ? WHERE id = ? AND "end" IS NOT NULL', (int(shown), turn))

    def last_prompted_turns(self, conversation: int, most: int) -> list[tuple[TurnRecord, str]]:
        """Return the last turns that a prompt started, with the text of the prompt, oldest first."""
        rows = self._all(
            "SELECT turn.*, prompt.text AS words FROM turn JOIN prompt ON prompt.id = turn.prompt"
            ' WHERE turn.conversation = ? AND turn."end" > turn.offset ORDER BY turn.started_at DESC LIMIT ?',
            conversation,
            most,
        )
        return [(TurnRecord(**row), words) for row in reversed(rows) for words in [row.pop("words")]]

    def unshown_turns(self, conversation: int) -> list[TurnRecord]:
        """Return ended turns that Discord may not show completely, oldest first."""
        rows = self._all(
            'SELECT * FROM turn WHERE conversation = ? AND shown = 0 AND "end" IS NOT NULL ORDER BY started_at',
            conversation,
        )
        return [TurnRecord(**row) for row in rows]

    def turns(self, run: str) -> list[TurnRecord]:
        """Return the turns of a run, in order; only the last one can be unfinished."""
        return [
            TurnRecord(**row) for row in self._all("SELECT * FROM turn WHERE run = ? ORDER BY offset, started_at", run)
        ]


def _conversation(row: dict[str, Any]) -> ConversationRecord:
    return ConversationRecord(**(row | {"own": Choices.model_validate_json(row["own"])}))


def _prompt(row: dict[str, Any]) -> Prompt:
    return Prompt(**(row | {"files": tuple(json.loads(row["files"]))}))
