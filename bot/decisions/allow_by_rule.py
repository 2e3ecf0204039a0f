"""Allows requests that match a saved rule, and records them in the audit log."""

from collections.abc import Iterable
from typing import Protocol

from bot import audit_log
from bot.audit_log import Entry
from bot.decisions.desk import RequestMismatch
from bot.decisions.rulebook import RuleStore
from bot.permission_requests.permission_request import PermissionRequest
from bot.permission_requests.rules import SavedRule, allows
from bot.permission_requests.ticket import Ticket


class RuleDecisionStore(RuleStore, Protocol):
    def ticket_for(self, run: str, tool_use_id: str) -> Ticket | None: ...
    def passed(self, run: str, tool_use_id: str) -> Entry | None: ...


def allow_by_rule(
    store: RuleDecisionStore, request: PermissionRequest, rules: Iterable[SavedRule], at: float
) -> Entry | None:
    """Return the audit log entry of a request that a rule allows, adding it if it is new; None if a person decides.

    The same request asked again (same run, same tool use) is allowed again, even if the rules have changed.
    """
    origin = request.origin
    if (known := store.passed(request.run, request.tool_use_id)) is not None:
        if not audit_log.is_of(known, request):
            raise RequestMismatch(f"Another request was already made as {request.tool_use_id}.")
        return known
    if store.ticket_for(request.run, request.tool_use_id) is not None:
        return None
    for kept in rules:
        if allows(kept.rule, request):
            entry = Entry(
                at=at,
                project=origin.project,
                conversation=request.conversation,
                tool=request.tool_name,
                outcome="allowed",
                source="rule",
                by=kept.made_by,
                prompted_by=origin.prompted_by,
                asked=request.input,
                ran=request.input,
                note=str(kept.rule),
                run=request.run,
                tool_use_id=request.tool_use_id,
            )
            store.record(entry)
            return entry
    return None
