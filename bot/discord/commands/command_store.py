"""The parts of the state file that slash commands use; lightbulb injects them by type."""

from typing import Protocol

from bot.audit_log import Entry, Sealed, Verdict
from bot.conversations.project_overview import ProjectCounts
from bot.discord.project_lookup import ThreadRecords
from bot.permission_requests.rules import SavedRule
from bot.permission_requests.ticket import Ticket
from bot.records import ConversationRecord


class SessionRecords(Protocol):
    def conversation_of_session(self, session: str) -> ConversationRecord | None: ...


class CostRecords(Protocol):
    def spent(self, project: str, since: float = 0.0, conversation: int | None = None) -> tuple[int, float]: ...


class DecisionRecords(Protocol):
    """The open permission requests, the rules and the audit log."""

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
    """Everything that the commands read and write."""


PROTOCOLS = (
    ThreadRecords,
    AuditLogWriter,
    SettingRecords,
    SessionRecords,
    CostRecords,
    DecisionRecords,
    ProjectCounts,
)
"""The types by which lightbulb injects the store into a command."""
