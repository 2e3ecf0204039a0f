"""Somebody presses a button or types an answer: may they, and what comes of it."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Protocol

from bot.config import People, Project
from bot.desk import Desk
from bot.messages import Message, Modal
from bot.presses import Decide, OpenModal, Outcome, Redraft, Refuse, answer_by_text, parse, respond
from bot.render.card import card
from bot.tickets import Decided, Open, Ticket, Withdrawn

UNKNOWN = "This card is not known here any more."
NOT_YOURS = "You are not among those who may decide in this project. Its owner can add you in the configuration."


@dataclass(frozen=True, slots=True)
class Person:
    """Who did it."""

    id: int
    roles: frozenset[int]

    def among(self, people: People) -> bool:
        return people.include(self.id, self.roles)


@dataclass(frozen=True, slots=True)
class Pressed:
    """A press as it arrives from Discord: any of it may be forged but the person and the channel."""

    custom_id: str
    person: Person
    channel: int
    values: tuple[str, ...] = ()
    fields: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Update:
    """Draw the card anew."""

    ticket: Ticket
    card: Message


@dataclass(frozen=True, slots=True)
class Show:
    """Open a form."""

    modal: Modal


@dataclass(frozen=True, slots=True)
class Whisper:
    """Tell this person alone."""

    sentence: str


Reply = Update | Show | Whisper


class Projects(Protocol):
    def in_thread(self, conversation: int) -> Project | None: ...


class Tickets(Protocol):
    def ticket(self, ticket: str) -> Ticket | None: ...


@dataclass(frozen=True, slots=True)
class Answering:
    """Takes people's answers to the desk; each one is checked, whatever the card looked like when it was made."""

    projects: Projects
    tickets: Tickets
    desk: Desk

    def press(self, pressed: Pressed) -> Reply:
        press = parse(pressed.custom_id)
        ticket = self.tickets.ticket(press.ticket_id) if press else None
        if press is None or ticket is None or ticket.conversation != pressed.channel:
            return Whisper(UNKNOWN)
        if not self.may_decide(pressed.person, ticket):
            return Whisper(NOT_YOURS)
        if not isinstance(ticket.state, Open):
            return Whisper(_too_late(ticket))
        return self._apply(ticket, pressed.person, respond(ticket, press, pressed.values, pressed.fields))

    def text(self, ticket: Ticket, person: Person, text: str) -> Reply | None:
        """Take a typed answer to a ticket; None when it is none."""
        outcome = answer_by_text(ticket, text) if self.may_decide(person, ticket) else None
        return None if outcome is None else self._apply(ticket, person, outcome)

    def would_answer(self, ticket: Ticket, person: Person, text: str) -> bool:
        """Whether this text would decide the ticket if it were meant for it."""
        return self.may_decide(person, ticket) and answer_by_text(ticket, text) is not None

    def may_decide(self, person: Person, ticket: Ticket) -> bool:
        project = self.projects.in_thread(ticket.conversation)
        return project is not None and person.among(project.decide)

    def _apply(self, ticket: Ticket, person: Person, outcome: Outcome) -> Reply:
        match outcome:
            case Decide(decision=decision, note=note):
                taken = self.desk.decide(ticket.id, decision, person.id, note)
            case Redraft(draft):
                taken = self.desk.redraft(ticket.id, draft)
            case OpenModal(modal):
                return Show(modal)
            case Refuse(sentence):
                return Whisper(sentence)
        now = self.tickets.ticket(ticket.id) or ticket
        return Update(now, card(now)) if taken else Whisper(_too_late(now))


def _too_late(ticket: Ticket) -> str:
    match ticket.state:
        case Decided(by=None, at=at):
            return f"This was decided <t:{at:.0f}:R>."
        case Decided(by=by, at=at):
            return f"<@{by}> was first: this was decided <t:{at:.0f}:R>."
        case Withdrawn(reason=reason):
            return f"Claude no longer waits for this: {reason}."
        case _:
            return UNKNOWN
