"""Somebody presses a button or types an answer: may they, and what comes of it."""

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Protocol

from bot.config import Person
from bot.decisions.desk import Desk
from bot.decisions.rulebook import Rulebook, rules_of_mode
from bot.decisions.stale_cards import Look, look_again
from bot.errors import NotDone
from bot.messages import Message, Modal
from bot.permission_requests.allow_all import find_groups
from bot.permission_requests.card_actions import (
    Decide,
    OpenModal,
    Outcome,
    Refuse,
    UpdateDraft,
    answer_by_text,
    parse,
    respond,
)
from bot.permission_requests.rule_offers import Offer
from bot.permission_requests.rules import EVERY_EDIT
from bot.permission_requests.ticket import Decided, Open, Ticket, Via, Withdrawn
from bot.permission_requests.tool_input import AskQuestions
from bot.projects.projects import Projects
from bot.refusals import EDITS_NEED_SECOND_PERSON, MAY_NOT_DECIDE, OWNERS_ONLY, SECOND_PERSON
from bot.render.cards.card import card, holds_secret, original
from bot.render.replies.rules import rules_reply
from shared.protocol import Allow

UNKNOWN = "The bot no longer knows this card."
OTHERS = "The open requests have changed. Please look at the current cards."
CHANGED = "The file has changed since Claude asked, so nothing was decided. Please check the card again."
NOT_LOOKED_AT = "The file could not be checked again just now, so nothing was decided. Please try again."
HIDDEN = "The card hides part of this request. Allow or deny it as it is; it can't be edited or become a rule."
ALLOWING = frozenset({"allow", "edit", "rule"})
PATIENCE = 2.0
"""Seconds that a look at the files may take: Discord waits three for the answer to a click."""
FRESH = 3.0
"""Seconds in which somebody who writes "yes" may still have had the card before it changed in mind."""


@dataclass(frozen=True, slots=True)
class CardPress:
    """A press as it arrives from Discord: any of it may be forged but the person and the channel."""

    custom_id: str
    person: Person
    channel: int
    values: tuple[str, ...] = ()
    fields: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class CardUpdate:
    """Draw the card anew."""

    ticket: Ticket
    card: Message


@dataclass(frozen=True, slots=True)
class OpenForm:
    """Open a form."""

    modal: Modal


@dataclass(frozen=True, slots=True)
class PrivateReply:
    """Tell this person alone."""

    sentence: str


@dataclass(frozen=True, slots=True)
class Original:
    """Show this person alone what the card hides, as it is."""

    message: Message


Reply = CardUpdate | OpenForm | PrivateReply | Original


class TicketRecords(Protocol):
    """What is remembered of tickets, and of who asked for them."""

    def ticket(self, ticket: str) -> Ticket | None: ...
    def open_tickets(self, conversation: int) -> list[Ticket]: ...
    def last_author(self, conversation: int) -> int | None: ...


@dataclass(frozen=True, slots=True)
class CardAnswers:
    """Takes people's answers to the desk; each one is checked, whatever the card looked like when it was made."""

    projects: Projects
    tickets: TicketRecords
    desk: Desk
    rulebook: Rulebook
    look: Look

    async def press(self, pressed: CardPress) -> Reply:
        press = parse(pressed.custom_id)
        ticket = self.tickets.ticket(press.ticket_id) if press else None
        if press is None or ticket is None or ticket.conversation != pressed.channel:
            return PrivateReply(UNKNOWN)
        if press.verb == "original":
            owner = pressed.person.among(self.projects.settings.owners)
            return Original(original(ticket)) if owner else PrivateReply(OWNERS_ONLY)
        if not self.may_decide(pressed.person, ticket):
            return PrivateReply(MAY_NOT_DECIDE)
        if not isinstance(ticket.state, Open):
            return PrivateReply(_too_late(ticket))
        outcome = respond(ticket, press, pressed.values, pressed.fields)
        if press.verb in ALLOWING and press.arg != ticket.version:  # pressed on the card as it was before
            outcome = UpdateDraft(ticket.draft)
        return await self._apply(ticket, pressed.person, outcome, "button")

    async def text(self, ticket: Ticket, person: Person, text: str) -> Reply | None:
        """Take a typed answer to a ticket; None when it is none."""
        outcome = answer_by_text(replace(ticket, state=Open()), text)
        if outcome is None:
            return None
        if not self.may_decide(person, ticket):  # any text answers a question: theirs is a prompt like any other
            return None if isinstance(ticket.request.action, AskQuestions) else PrivateReply(MAY_NOT_DECIDE)
        if not isinstance(ticket.state, Open):  # what is written below an answered question is a prompt
            return None if isinstance(ticket.request.action, AskQuestions) else PrivateReply(_too_late(ticket))
        return await self._apply(ticket, person, outcome, "text")

    def would_answer(self, ticket: Ticket, person: Person, text: str) -> bool:
        """Whether this text would decide the ticket if it were meant for it."""
        return self.may_decide(person, ticket) and answer_by_text(ticket, text) is not None

    def overheard(self, tickets: Sequence[Ticket]) -> None:
        """Something else was written while these are open: their cards say that Claude still waits for an answer."""
        for ticket in tickets:
            if not ticket.draft.overheard:
                self.desk.redraft(ticket.id, replace(ticket.draft, overheard=True))

    def may_decide(self, person: Person, ticket: Ticket) -> bool:
        project = self.projects.in_thread(ticket.conversation)
        return project is not None and project.decide is not None and person.among(project.decide)

    async def allow_all(self, pressed: CardPress) -> None:
        """Allow a group of requests; raise NotDone if that is not possible."""
        groups = find_groups(self.tickets.open_tickets(pressed.channel))
        group = next((group for group in groups if group.custom_id == pressed.custom_id), None)
        if group is None:
            raise NotDone(OTHERS)
        if not all(self.may_decide(pressed.person, ticket) for ticket in group.tickets):
            raise NotDone(MAY_NOT_DECIDE)
        if any(self._needs_another(ticket, pressed.person, ticket.request.input) for ticket in group.tickets):
            raise NotDone(SECOND_PERSON)
        if fault := await self._fault(*group.tickets):
            raise NotDone(fault)
        for ticket in group.tickets:
            decision = Allow(updatedInput=ticket.request.input)
            self.desk.decide(ticket.id, decision, pressed.person.id, f"all {len(group.tickets)} at once")

    def remove_rule(self, pressed: CardPress) -> Message:
        """Remove the chosen rule, and return the list of the others; raise NotDone if that is not possible."""
        number = pressed.values[0] if len(pressed.values) == 1 else ""
        kept = self.rulebook.store.rule(int(number)) if number.isascii() and number.isdecimal() else None
        project = self.projects.settings.projects.get(kept.project) if kept else None
        if kept is None or project is None:
            raise NotDone("That rule no longer exists.")
        if not pressed.person.among(project.decide):
            raise NotDone(MAY_NOT_DECIDE)
        self.rulebook.remove(kept, pressed.person.id)
        here = self.projects.in_thread(pressed.channel) or project
        left = [*self.rulebook.store.rules(kept.project), *rules_of_mode(here, pressed.channel)]
        return rules_reply(left, pressed.channel, may_remove=True, configured=here.allowed_tools or ())

    async def _apply(self, ticket: Ticket, person: Person, outcome: Outcome, via: Via) -> Reply:
        match _seen_whole(ticket, outcome):
            case Decide(decision=Allow() as allow, rule=rule) if refused := self._refused(ticket, person, allow, rule):
                return PrivateReply(refused)
            case Decide(decision=Allow()) if via == "text" and self.desk.clock() - ticket.changed_at < FRESH:
                return PrivateReply(CHANGED)  # they may have written it before they saw that
            case Decide(decision=Allow()) if fault := await self._fault(ticket):
                if fault != CHANGED or via == "text":
                    return PrivateReply(fault)
                now = self.tickets.ticket(ticket.id)
            case Decide(decision=decision, note=note, rule=rule):
                now = self.desk.decide(ticket.id, decision, person.id, note, via)
                if now is not None and rule is not None:
                    self.rulebook.keep(rule, ticket, person.id)
            case UpdateDraft(draft):
                now = self.desk.redraft(ticket.id, draft)
            case OpenModal(modal):
                return OpenForm(modal)
            case Refuse(sentence):
                return PrivateReply(sentence)
        return (
            CardUpdate(now, card(now)) if now is not None else PrivateReply(_too_late(self.tickets.ticket(ticket.id)))
        )

    async def _fault(self, *tickets: Ticket) -> str:
        """Look at the files again; say why nothing may be allowed on these cards, empty if it may."""
        try:
            async with asyncio.timeout(PATIENCE):
                now = await asyncio.gather(*(look_again(ticket, self.look, self.desk) for ticket in tickets))
        except TimeoutError:
            return NOT_LOOKED_AT
        return "" if all(map(_is_same, tickets, now)) else CHANGED

    def _refused(self, ticket: Ticket, person: Person, allow: Allow, rule: Offer | None) -> str:
        """Say why this person may not allow it alone; empty where they may."""
        if self._needs_another(ticket, person, allow.updated_input):
            return SECOND_PERSON
        freely = rule is not None and rule.rule == EVERY_EDIT
        return EDITS_NEED_SECOND_PERSON if freely and self._is_bound(ticket, person) else ""

    def _needs_another(self, ticket: Ticket, person: Person, given: dict[str, Any]) -> bool:
        """Whether someone other than the person whose prompt this came from must approve it."""
        request = ticket.request
        if not request.warnings and given == request.input:
            return False
        warned = request.warnings or request.with_input(given).warnings  # an edit can bring one in
        return bool(warned) and self._is_bound(ticket, person)

    def _is_bound(self, ticket: Ticket, person: Person) -> bool:
        """Whether this came from the person's own prompt, where that needs somebody else."""
        project = self.projects.in_thread(ticket.conversation)
        if not (ticket.origin.second_person or (project is not None and project.decisions.second_person)):
            return False
        asker = ticket.origin.prompted_by
        if asker is None:  # Claude began by itself: it went on with what was said last
            asker = self.tickets.last_author(ticket.conversation)
        return person.id == asker


def _seen_whole(ticket: Ticket, outcome: Outcome) -> Outcome:
    """Refuse to make more of a card than it shows."""
    return Refuse(HIDDEN) if _goes_beyond(ticket, outcome) and holds_secret(ticket.request) else outcome


def _goes_beyond(ticket: Ticket, outcome: Outcome) -> bool:
    """Whether more comes of it than that this request, as it is, is allowed or denied."""
    match outcome:
        case Decide(decision=Allow(updated_input=given), rule=rule):
            return rule is not None or given != ticket.request.input
        case UpdateDraft(draft):
            return bool(draft.panel)
        case OpenModal(modal):
            press = parse(modal.custom_id)
            return press is not None and press.verb == "edit"
    return False


def _is_same(before: Ticket, now: Ticket | None) -> bool:
    return now is None or now.version == before.version  # None: the desk says that it is settled


def _too_late(ticket: Ticket | None) -> str:
    match ticket and ticket.state:
        case Decided(by=None, at=at):
            return f"This was already decided <t:{at:.0f}:R>."
        case Decided(by=by, at=at):
            return f"<@{by}> already decided this <t:{at:.0f}:R>."
        case Withdrawn(reason=reason):
            return f"This request was withdrawn: {reason}."
        case _:
            return UNKNOWN
