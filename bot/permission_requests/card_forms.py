"""The forms of a card: edit and allow, give a reason, and answer a question in one's own words."""

from collections.abc import Mapping, Sequence
from typing import Any

from bot.masking import mask
from bot.messages import MODAL_TEXT_LIMIT, MODAL_TITLE_LIMIT, Modal, TextInput
from bot.permission_requests.cached import cached
from bot.permission_requests.card_button_ids import custom_id
from bot.permission_requests.permission_request import PermissionRequest
from bot.permission_requests.questions import Question
from bot.permission_requests.ticket import Ticket
from bot.permission_requests.tool_input import EditCell, EditFile, ProposePlan, RunCommand, WriteFile
from bot.text.escape import one_line
from bot.text.hidden_characters import has_hidden
from bot.text.truncate import truncate, utf16_length

MAX_INPUTS = 5  # in one Discord modal


@cached
def edit_inputs(request: PermissionRequest) -> tuple[TextInput, ...]:
    """Return the fields to edit; none if a form can't hold all of the request, or must not show it."""
    found = _fields(request)
    prose = isinstance(request.action, ProposePlan)  # a plan is not run, so the invisible parts of emoji do no harm
    fits = all(
        utf16_length(field.value) <= MODAL_TEXT_LIMIT and (prose or not has_hidden(field.value)) for field in found
    )
    if not fits or len(found) > MAX_INPUTS:
        return ()
    # A form would show the secret that the card masks; and if the form masked it, the masked text would run.
    return found if all(mask(field.value) == field.value for field in found) else ()


def edit_form(ticket: Ticket) -> Modal:
    """Return the form in which a person edits a request before allowing it."""
    return Modal(custom_id(ticket.id, "edit", ticket.version), "Edit and allow", edit_inputs(ticket.request))


def reason_form(ticket: Ticket, title: str, label: str) -> Modal:
    """Return the form for the reason of a denial."""
    return _form(ticket, "why", title, TextInput("reason", label))


def answer_form(ticket: Ticket, question: Question, number: int, answer: Sequence[str]) -> Modal:
    """Return the form for a free answer to a question, with what was written before."""
    labels = {choice.label for choice in question.choices}
    free = next((text for text in answer if text not in labels), "")
    field = TextInput("answer", "Your answer", truncate(free, MODAL_TEXT_LIMIT), required=not question.several)
    return _form(ticket, "other", question.header or "Your answer", field, str(number))


def edited_input(request: PermissionRequest, fields: Mapping[str, str]) -> dict[str, Any] | None:
    """Build the edited input from a submitted form; return None if the form does not belong to the request."""
    form = {field.custom_id: field for field in edit_inputs(request)}
    if not form or set(form) != set(fields):
        return None
    texts = {key: _restore_whitespace(form[key].value, text) for key, text in fields.items()}
    if any(form[key].required and not text.strip() for key, text in texts.items()):
        return None
    if request.tool_name != "MultiEdit":
        return {**request.input, **texts}
    edits = [{**edit, "new_string": texts[f"edit-{n}"]} for n, edit in enumerate(request.input["edits"])]
    return {**request.input, "edits": edits}


def _fields(request: PermissionRequest) -> tuple[TextInput, ...]:  # noqa: PLR0911 - one per case
    match request.action:
        case RunCommand(command=command):
            return (TextInput("command", "Command", command),)
        case WriteFile(content=content):
            return (TextInput("content", "File content", content, required=False),)
        case EditFile(replacements=several) if request.tool_name == "MultiEdit":
            return tuple(
                TextInput(f"edit-{n}", f"New text {n + 1}", one.new, required=False) for n, one in enumerate(several)
            )
        case EditFile(replacements=(one,)):
            return (TextInput("new_string", "New text", one.new, required=False),)
        case EditCell(mode=mode, source=source) if mode != "delete":
            return (TextInput("new_source", "Cell text", source, required=False),)
        case ProposePlan(plan=plan) if plan.strip():
            return (TextInput("plan", "Plan", plan),)
    return ()


def _form(ticket: Ticket, verb: str, title: str, field: TextInput, arg: str = "") -> Modal:
    short = truncate(one_line(title), MODAL_TITLE_LIMIT) or "Your answer"
    return Modal(custom_id(ticket.id, verb, arg), short, (field,))


def _restore_whitespace(before: str, text: str) -> str:
    """Restore the whitespace that Discord's form strips at both ends of a text."""
    text = text.replace("\r\n", "\n")
    if text == before.strip():
        return before
    return text + "\n" if before.endswith("\n") and text and not text.endswith("\n") else text
