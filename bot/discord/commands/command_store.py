"""What the slash commands read and write in the state file; each is injected into a command by its type."""

from typing import Protocol

from bot.audit_log import Entry, Sealed, Verdict
from bot.conversations.overview import ProjectCounts
from bot.discord.project_lookup import ThreadRecords
from bot.permission_requests.rules import SavedRule
from bot.permission_requests.ticket import Ticket
from bot.records import ConversationRecord


class SessionRecords(Protocol):
    def conversation_of_session(self, session: str) -> ConversationRecord | None: ...


class CostRecords(Protocol):
    def spent(self, project: str, since: float = 0.0, conversation: int | None = None) -> tuple[int, float]: ...


class DecisionRecords(Protocol):
    """The requests that are open, the rules, and what was decided."""

    def every_open_ticket(self) -> list[Ticket]: ...
    def message_of_card(self, ticket: str) -> int: ...
    def rules(self, project: str) -> list[SavedRule]: ...
    def audit(self, project: str, limit: int) -> list[Sealed]: ...
    def check_audit(self) -> Verdict: ...


class AuditLogWriter(Protocol):
    def record(self, entry: Entry) -> None: ...


class SettingRecords(ThreadRecords, AuditLogWriter, Protocol):
    """The settings of threads, and who changed them."""


class CommandStore(SettingRecords, SessionRecords, CostRecords, DecisionRecords, ProjectCounts, Protocol):
    """All of it."""


PROTOCOLS = (
    ThreadRecords,
    AuditLogWriter,
    SettingRecords,
    SessionRecords,
    CostRecords,
    DecisionRecords,
    ProjectCounts,
)
"""The types by which a command is given its part of the store."""
