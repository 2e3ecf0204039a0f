"""The rule book: what people said need not be asked again, told to every `claude` that it is for."""

import asyncio
import logging
import time
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Protocol

from bot.decisions.audit import Entry, Outcome
from bot.errors import ClaudeError
from bot.requests.rules import Kept, Offer, Rule, Scope
from bot.requests.tickets import Ticket

log = logging.getLogger(__name__)


class RuleStore(Protocol):
    def add_rule(self, kept: Kept) -> None: ...
    def rule(self, number: int) -> Kept | None: ...
    def rules(self, project: str) -> list[Kept]: ...
    def remove_rule(self, number: int) -> None: ...
    def record(self, entry: Entry) -> None: ...


@dataclass(frozen=True, slots=True)
class Rulebook:
    """Rules are kept here and nowhere else: a process is told the whole list, at its start and after each change."""

    store: RuleStore
    changed: Callable[[str], None]
    """Told the project whose rules are others now."""
    clock: Callable[[], float] = time.time

    def keep(self, offer: Offer, ticket: Ticket, by: int) -> None:
        """Keep what was chosen under Always…."""
        place = ticket.conversation if offer.scope is Scope.CONVERSATION else None
        self.store.add_rule(Kept(0, offer.rule, ticket.origin.project, place, by, self.clock()))
        self._note(ticket.origin.project, ticket.conversation, offer.rule, by, made=True)

    def remove(self, kept: Kept, by: int) -> None:
        """Take a rule back: what it let pass is asked again, in the processes that run as well."""
        self.store.remove_rule(kept.id)
        self._note(kept.project, kept.conversation or 0, kept.rule, by, made=False)

    def _note(self, project: str, conversation: int, rule: Rule, by: int, *, made: bool) -> None:
        outcome: Outcome = "rule made" if made else "rule removed"
        self.store.record(Entry(self.clock(), project, conversation, rule.tool, outcome, "button", by, note=str(rule)))
        self.changed(project)


def in_force(rules: Iterable[Kept], conversation: int) -> list[Kept]:
    """Which of a project's rules count in a conversation."""
    return [kept for kept in rules if kept.conversation in (None, conversation)]


class Listening(Protocol):
    """A process that can be told something."""

    async def control(self, subtype: str, **fields: Any) -> Mapping[str, Any]: ...


async def teach(run: Listening, wanted: Callable[[], list[Kept]], changed: asyncio.Event) -> None:
    """Keep a process in the know of its rules.

    `apply_flag_settings` replaces the list as a whole, at any moment, in the middle of an open request too (seen with
    2.1.197 and 2.1.326). A rule that went along with a decision, or stood in the arguments, could not be taken back.
    A process that does not know this asks for everything: nothing passes that should not.
    """
    known: list[str] = []
    while True:
        changed.clear()
        rules = list(dict.fromkeys(str(kept.rule) for kept in wanted()))
        if rules != known:
            known = rules
            try:
                await run.control("apply_flag_settings", settings={"permissions": {"allow": rules}})
            except ClaudeError as error:
                log.warning("A rule could not be told to Claude; it asks instead: %s", error)
        await changed.wait()
