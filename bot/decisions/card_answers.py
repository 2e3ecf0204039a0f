"""Handles people's answers to cards, pressed or typed: checks whether they may decide, then applies the answer."""

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Protocol

from bot.config import Person
from bot.decisions.desk import Desk
from bot.decisions.rulebook import Rulebook, rules_of_mode
from bot.decisions.stale_cards import ReadRequestFile, refresh_file
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
    respond,
)
from bot.permission_requests.card_button_ids import parse
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
NOT_CHECKED = "The file could not be checked again just now, so nothing was decided. Please try again."
HIDDEN = "The card hides part of this request. Allow or deny it as it is; it can't be edited or made a rule."
ALLOWING = frozenset({"allow", "edit", "rule"})
CHECK_WITHIN = 2.0
"""Seconds to check the files again: Discord waits three for the response to a click."""
JUST_CHANGED = 3.0
"""Seconds after a change in which someone who writes "yes" may still mean the card as it was before."""


@dataclass(frozen=True, slots=True)
class CardPress:
    """A press as it arrives from Discord: everything except the person and the channel may be forged."""

    custom_id: str
    person: Person
    channel: int
    values: tuple[str, ...] = ()
    fields: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class CardUpdate:
    """Update the card."""

    ticket: Ticket
    card: Message


@dataclass(frozen=True, slots=True)
class OpenForm:
    """Open a form."""

    modal: Modal


@dataclass(frozen=True, slots=True)
class PrivateReply:
    """Send a sentence that only this person sees."""

    sentence: str


@dataclass(frozen=True, slots=True)
class Original:
    """Show the unmasked request to this person only."""

    message: Message


Reply = CardUpdate | OpenForm | PrivateReply | Original


class TicketRecords(Protocol):
    """The store's records of tickets and prompt authors."""

    def ticket(self, ticket: str) -> Ticket | None: ...
    def open_tickets(self, conversation: int) -> list[Ticket]: ...
    def last_author(self, conversation: int) -> int | None: ...


@dataclass(frozen=True, slots=True)
class CardAnswers:
    """Passes people's answers to the desk after checking each one, whatever the card showed when it was given."""

    projects: Projects
    tickets: TicketRecords
    desk: Desk
    rulebook: Rulebook
    read_file: ReadRequestFile

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
        if press.verb in ALLOWING and press.arg != ticket.version:  # pressed on an earlier version of the card
            outcome = UpdateDraft(ticket.draft)
        return await self._apply(ticket, pressed.person, outcome, "button")

    async def text(self, ticket: Ticket, person: Person, text: str) -> Reply | None:
        """Apply a typed answer to a ticket; return None if the text is not an answer."""
        outcome = answer_by_text(replace(ticket, state=Open()), text)
        if outcome is None:
            return None
        if not self.may_decide(person, ticket):  # any text would answer a question, so theirs is an ordinary prompt
            return None if isinstance(ticket.request.action, AskQuestions) else PrivateReply(MAY_NOT_DECIDE)
        if not isinstance(ticket.state, Open):  # text below an answered question is a prompt
            return None if isinstance(ticket.request.action, AskQuestions) else PrivateReply(_too_late(ticket))
        return await self._apply(ticket, person, outcome, "text")

    def would_answer(self, ticket: Ticket, person: Person, text: str) -> bool:
        """Check whether this text would decide the ticket if it were an answer to it."""
        return self.may_decide(person, ticket) and answer_by_text(ticket, text) is not None

    def note_other_message(self, tickets: Sequence[Ticket]) -> None:
        """Say on the cards of open tickets that Claude still waits for an answer: a new message was not one."""
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
        if any(self._needs_second_person(ticket, pressed.person, ticket.request.input) for ticket in group.tickets):
            raise NotDone(SECOND_PERSON)
        if problem := await self._check_files(*group.tickets):
            raise NotDone(problem)
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
        match _refuse_if_masked(ticket, outcome):
            case Decide(decision=Allow() as allow, rule=rule) if refusal := self._refusal(ticket, person, allow, rule):
                return PrivateReply(refusal)
            case Decide(decision=Allow()) if via == "text" and self.desk.clock() - ticket.changed_at < JUST_CHANGED:
                return PrivateReply(CHANGED)  # they may have written it before they saw the change
            case Decide(decision=Allow()) if problem := await self._check_files(ticket):
                if problem != CHANGED or via == "text":
                    return PrivateReply(problem)
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

    async def _check_files(self, *tickets: Ticket) -> str:
        """Read the tickets' files again; return why nothing can be allowed now, or an empty text."""
        try:
            async with asyncio.timeout(CHECK_WITHIN):
                now = await asyncio.gather(*(refresh_file(ticket, self.read_file, self.desk) for ticket in tickets))
        except TimeoutError:
            return NOT_CHECKED
        return "" if all(map(_is_same, tickets, now)) else CHANGED

    def _refusal(self, ticket: Ticket, person: Person, allow: Allow, rule: Offer | None) -> str:
        """Return why this person may not allow the request alone, or an empty text."""
        if self._needs_second_person(ticket, person, allow.updated_input):
            return SECOND_PERSON
        freely = rule is not None and rule.rule == EVERY_EDIT
        return EDITS_NEED_SECOND_PERSON if freely and self._is_from_own_prompt(ticket, person) else ""

    def _needs_second_person(self, ticket: Ticket, person: Person, updated_input: dict[str, Any]) -> bool:
        """Check whether someone other than this person must allow the request, because it has a warning."""
        request = ticket.request
        if not request.warnings and updated_input == request.input:
            return False
        warned = request.warnings or request.with_input(updated_input).warnings  # an edit can add one
        return bool(warned) and self._is_from_own_prompt(ticket, person)

    def _is_from_own_prompt(self, ticket: Ticket, person: Person) -> bool:
        """Check whether this came from the person's own prompt in a project that requires a second person."""
        project = self.projects.in_thread(ticket.conversation)
        if not (ticket.origin.second_person or (project is not None and project.decisions.second_person)):
            return False
        author = ticket.origin.prompted_by
        if author is None:  # Claude started by itself, continuing from the last prompt
            author = self.tickets.last_author(ticket.conversation)
        return person.id == author


def _refuse_if_masked(ticket: Ticket, outcome: Outcome) -> Outcome:
    """Refuse an edit or a rule if the card hides part of the request."""
    return Refuse(HIDDEN) if _edits_or_adds_rule(ticket, outcome) and holds_secret(ticket.request) else outcome


def _edits_or_adds_rule(ticket: Ticket, outcome: Outcome) -> bool:
    """Check whether the outcome is more than allowing or denying the request as it is."""
    match outcome:
        case Decide(decision=Allow(updated_input=updated_input), rule=rule):
            return rule is not None or updated_input != ticket.request.input
        case UpdateDraft(draft):
            return bool(draft.panel)
        case OpenModal(modal):
            press = parse(modal.custom_id)
            return press is not None and press.verb == "edit"
    return False


def _is_same(before: Ticket, now: Ticket | None) -> bool:
    return now is None or now.version == before.version  # None: the ticket is no longer open


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
