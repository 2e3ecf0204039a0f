"""Decides what a click, a menu choice, a submitted form or a typed answer does to a ticket."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from types import MappingProxyType

from bot.messages import Modal
from bot.permission_requests import card_forms, questions, rule_offers
from bot.permission_requests.card_button_ids import Press
from bot.permission_requests.questions import Question
from bot.permission_requests.ticket import Draft, Open, Ticket
from bot.permission_requests.tool_input import AskQuestions, ProposePlan
from bot.permission_requests.typed_answers import No, read_answer
from shared.protocol import Allow, Deny

DENIED = "The user said no."
NOT_YET = "The user wants you to keep planning and gave no reason."
SKIPPED = "The user skipped this and leaves it to you: decide what is best yourself, and continue."

_NO_FIELDS: Mapping[str, str] = MappingProxyType({})


@dataclass(frozen=True, slots=True)
class Decide:
    """The ticket is decided."""

    decision: Allow | Deny
    note: str = ""
    rule: rule_offers.Offer | None = None
    """The chosen rule, which the caller saves."""


@dataclass(frozen=True, slots=True)
class UpdateDraft:
    """Save this draft with the ticket, and redraw the card."""

    draft: Draft


@dataclass(frozen=True, slots=True)
class OpenModal:
    """Show this form. When it is submitted, `respond` is called with its fields."""

    modal: Modal


@dataclass(frozen=True, slots=True)
class Refuse:
    """Do nothing, and tell the person why."""

    sentence: str


Outcome = Decide | UpdateDraft | OpenModal | Refuse
NO_MATCH = Refuse("That no longer matches this card. Use the current version of the card in the channel.")


def respond(
    ticket: Ticket, press: Press, values: tuple[str, ...] = (), fields: Mapping[str, str] = _NO_FIELDS
) -> Outcome:
    """Return what a press does. The caller has checked that the person may decide, but not that the press is valid.

    `values` are the values chosen in a menu; `fields` are the inputs of a submitted form, by custom_id.
    """
    if press.ticket_id != ticket.id or not isinstance(ticket.state, Open):
        return NO_MATCH
    match ticket.request.action:
        case AskQuestions(questions=asked):
            return _respond_on_question_card(ticket, asked, press, values, fields)
        case ProposePlan():
            return _respond_on_plan_card(ticket, press, fields)
        case _:
            return _respond_on_tool_card(ticket, press, values, fields)


def answer_by_text(ticket: Ticket, text: str) -> Outcome | None:
    """Read a typed answer, such as one from a watch; return None if the text does not answer this card."""
    if not isinstance(ticket.state, Open) or not text.strip():
        return None
    action = ticket.request.action
    if isinstance(action, AskQuestions):
        return _typed_answer(ticket, action.questions, text)
    plan = isinstance(action, ProposePlan)
    match read_answer(text):
        case "yes":
            return _allow(ticket)
        case "always":
            return _edit_freely(ticket) if plan else _allow_with_narrowest_rule(ticket)
        case No(reason):
            return _deny(reason, NOT_YET if plan else DENIED)
    return None


def _respond_on_tool_card(  # noqa: PLR0911 - one per verb
    ticket: Ticket, press: Press, values: tuple[str, ...], fields: Mapping[str, str]
) -> Outcome:
    match press.verb:
        case "allow":
            return _allow(ticket)
        case "deny":
            return _deny("", DENIED)
        case "why":
            return _deny_with_reason(ticket, fields, "Why not?", "Claude reads this", DENIED)
        case "edit":
            return _edit(ticket, fields)
        case "always" if rule_offers.offers(ticket.request):
            return UpdateDraft(replace(ticket.draft, panel="always"))
        case "back":
            return UpdateDraft(replace(ticket.draft, panel=""))
        case "rule" if len(values) == 1:
            return _allow_with_rule(ticket, values[0])
    return NO_MATCH


def _respond_on_plan_card(ticket: Ticket, press: Press, fields: Mapping[str, str]) -> Outcome:
    match press.verb:
        case "allow":
            return _allow(ticket)
        case "accept":
            return _edit_freely(ticket)
        case "why":
            return _deny_with_reason(ticket, fields, "Keep planning", "What should be different?", NOT_YET)
        case "edit":
            return _edit(ticket, fields)
    return NO_MATCH


def _respond_on_question_card(
    ticket: Ticket, asked: tuple[Question, ...], press: Press, values: tuple[str, ...], fields: Mapping[str, str]
) -> Outcome:
    answers = ticket.draft.answers
    if press.verb == "skip":
        return Decide(Deny(message=SKIPPED), "skipped")
    if press.verb == "send":
        return (
            _send(ticket, asked)
            if questions.all_answered(asked, answers)
            else Refuse("Some questions have no answer yet. Answer them first.")
        )
    numbers = {str(number): number for number in range(len(asked))}
    if press.arg not in numbers:
        return NO_MATCH
    number = numbers[press.arg]
    question, before = asked[number], tuple(answers.get(number, ()))
    if press.verb == "choose":
        chosen = questions.choose(question, before, values)
        return NO_MATCH if chosen is None else _answered(ticket, asked, number, chosen)
    if press.verb == "other":
        return _free_answer(ticket, asked, number, fields)
    return NO_MATCH


def _free_answer(ticket: Ticket, asked: tuple[Question, ...], number: int, fields: Mapping[str, str]) -> Outcome:
    question, before = asked[number], tuple(ticket.draft.answers.get(number, ()))
    if not fields:
        return OpenModal(card_forms.answer_form(ticket, question, number, before))
    if set(fields) != {"answer"}:
        return NO_MATCH
    return _answered(ticket, asked, number, questions.add_free_answer(question, before, fields["answer"]))


def _answered(ticket: Ticket, asked: tuple[Question, ...], number: int, answer: tuple[str, ...]) -> Outcome:
    answers = {**ticket.draft.answers, number: answer}
    drafted = replace(ticket, draft=replace(ticket.draft, answers=answers))
    if questions.is_single_choice(asked):
        return _send(drafted, asked) if answer else Refuse("The answer is empty. Choose or write one, or press Skip.")
    return UpdateDraft(drafted.draft)


def _send(ticket: Ticket, asked: tuple[Question, ...]) -> Decide:
    return Decide(
        Allow(updatedInput=questions.answered_input(ticket.request.input, asked, ticket.draft.answers)), "answered"
    )


def _typed_answer(ticket: Ticket, asked: tuple[Question, ...], text: str) -> Outcome:
    answers = ticket.draft.answers
    word = text.strip().casefold()
    if len(asked) > 1 and questions.all_answered(asked, answers) and word in {"send", "yes"}:
        return _send(ticket, asked)
    number = questions.first_unanswered(asked, answers)
    answer = questions.parse_typed_answer(asked[number], text)
    if len(asked) == 1:
        return _send(replace(ticket, draft=replace(ticket.draft, answers={number: answer})), asked)
    return _answered(ticket, asked, number, answer)


def _allow(ticket: Ticket) -> Decide:
    return Decide(Allow(updatedInput=ticket.request.input))


def _deny(why: str, default: str) -> Decide:
    return Decide(Deny(message=why.strip() or default))


def _edit_freely(ticket: Ticket) -> Decide:
    rule = rule_offers.EDIT_FREELY
    return Decide(Allow(updatedInput=ticket.request.input), f"edits are allowed from now on, by rule {rule.rule}", rule)


def _deny_with_reason(ticket: Ticket, fields: Mapping[str, str], title: str, label: str, default: str) -> Outcome:
    if not fields:
        return OpenModal(card_forms.reason_form(ticket, title, label))
    return _deny(fields["reason"], default) if set(fields) == {"reason"} else NO_MATCH


def _edit(ticket: Ticket, fields: Mapping[str, str]) -> Outcome:
    if not card_forms.edit_inputs(ticket.request):
        return NO_MATCH
    if not fields:
        return OpenModal(card_forms.edit_form(ticket))
    edited = card_forms.edited_input(ticket.request, fields)
    if edited is None:
        return NO_MATCH
    return Decide(Allow(updatedInput=edited), "edited" if edited != ticket.request.input else "")


def _allow_with_rule(ticket: Ticket, offer_id: str) -> Outcome:
    for offer in rule_offers.offers(ticket.request):
        if offer.id == offer_id:
            decision = Allow(updatedInput=ticket.request.input)
            return Decide(decision, f"always, in this {offer.scope.value}: {offer.rule}", offer)
    return Refuse("That rule is not available for this request. Choose another one.")


def _allow_with_narrowest_rule(ticket: Ticket) -> Outcome:
    offered = rule_offers.offers(ticket.request)
    return (
        _allow_with_rule(ticket, offered[0].id)
        if offered
        else Refuse("No rule can be made for this request. Answer `yes` or `no`.")
    )
