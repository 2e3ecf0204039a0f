"""The rule book: what people said need not be asked again."""

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
    """Rules are kept here and nowhere else: no process knows them, so what is taken back is asked again at once."""

    store: RuleStore
    clock: Callable[[], float] = time.time

    def keep(self, offer: Offer, ticket: Ticket, by: int) -> None:
        """Keep what somebody chose."""
        place = ticket.conversation if offer.scope is Scope.CONVERSATION else None
        self.store.add_rule(SavedRule(0, offer.rule, ticket.origin.project, place, by, self.clock()))
        self._note(ticket.origin.project, ticket.conversation, offer.rule, by, made=True)

    def remove(self, kept: SavedRule, by: int) -> None:
        """Take a rule back: what it let pass is asked again."""
        self.store.remove_rule(kept.id)
        self._note(kept.project, kept.conversation or 0, kept.rule, by, made=False)

    def _note(self, project: str, conversation: int, rule: Rule, by: int, *, made: bool) -> None:
        outcome: Outcome = "rule made" if made else "rule removed"
        self.store.record(Entry(self.clock(), project, conversation, rule.tool, outcome, "button", by, note=str(rule)))


def rules_of_mode(project: Project, conversation: int) -> list[SavedRule]:
    """What a conversation's mode lets pass; the project is the one of the conversation, with what was chosen there."""
    accepts = project.permission_mode == "acceptEdits"
    return [SavedRule(0, EVERY_EDIT, project.name, conversation, None, 0.0)] if accepts else []


def active_rules(rules: Iterable[SavedRule], conversation: int) -> list[SavedRule]:
    """Which of a project's rules count in a conversation."""
    return [kept for kept in rules if kept.conversation in (None, conversation)]
