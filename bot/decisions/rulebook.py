"""The rule book: the rules by which requests are allowed without asking again."""

import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Protocol

from bot.audit_log import Entry, Outcome
from bot.config import Project
from bot.permission_requests.rule_offers import Offer
from bot.permission_requests.rules import EVERY_EDIT, Rule, SavedRule, Scope
from bot.permission_requests.ticket import Ticket


class RuleStore(Protocol):
    def add_rule(self, kept: SavedRule) -> None: ...
    def rule(self, number: int) -> SavedRule | None: ...
    def rules(self, project: str) -> list[SavedRule]: ...
    def remove_rule(self, number: int) -> None: ...
    def record(self, entry: Entry) -> None: ...


@dataclass(frozen=True, slots=True)
class Rulebook:
    """Adds and removes rules. They are only in the store, not in any process, so a removed rule stops immediately."""

    store: RuleStore
    clock: Callable[[], float] = time.time

    def keep(self, offer: Offer, ticket: Ticket, by: int) -> None:
        """Save the rule that a person chose on a card."""
        place = ticket.conversation if offer.scope is Scope.CONVERSATION else None
        self.store.add_rule(SavedRule(0, offer.rule, ticket.origin.project, place, by, self.clock()))
        self._record(ticket.origin.project, ticket.conversation, offer.rule, by, made=True)

    def remove(self, kept: SavedRule, by: int) -> None:
        """Remove a rule: people are asked again about what it allowed."""
        self.store.remove_rule(kept.id)
        self._record(kept.project, kept.conversation or 0, kept.rule, by, made=False)

    def _record(self, project: str, conversation: int, rule: Rule, by: int, *, made: bool) -> None:
        outcome: Outcome = "rule made" if made else "rule removed"
        self.store.record(Entry(self.clock(), project, conversation, rule.tool, outcome, "button", by, note=str(rule)))


def rules_of_mode(project: Project, conversation: int) -> list[SavedRule]:
    """Return the rules of a conversation's mode; the project has the settings of the conversation."""
    accepts = project.permission_mode == "acceptEdits"
    return [SavedRule(0, EVERY_EDIT, project.name, conversation, None, 0.0)] if accepts else []


def active_rules(rules: Iterable[SavedRule], conversation: int) -> list[SavedRule]:
    """Return those of a project's rules that apply in a conversation."""
    return [kept for kept in rules if kept.conversation in (None, conversation)]
