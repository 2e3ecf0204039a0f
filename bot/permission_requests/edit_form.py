"""The form in which a person edits a request before allowing it."""

from collections.abc import Mapping
from typing import Any

from bot.masking import mask
from bot.messages import MODAL_TEXT_LIMIT, TextInput
from bot.permission_requests.cached import cached
from bot.permission_requests.permission_request import PermissionRequest
from bot.permission_requests.tool_input import EditCell, EditFile, ProposePlan, RunCommand, WriteFile
from bot.text.hidden_characters import has_hidden
from bot.text.truncate import utf16_length

MAX_INPUTS = 5  # in one Discord modal


@cached
def inputs(request: PermissionRequest) -> tuple[TextInput, ...]:
    """Return the form's fields; none if a form can't hold all of the request, or must not show it."""
    found = _fields(request)
    prose = isinstance(request.action, ProposePlan)  # a plan is not run, so the invisible parts of emoji do no harm
    fits = all(
        utf16_length(field.value) <= MODAL_TEXT_LIMIT and (prose or not has_hidden(field.value)) for field in found
    )
    if not fits or len(found) > MAX_INPUTS:
        return ()
    # A form would show the secret that the card masks; and if the form masked it, the masked text would run.
    return found if all(mask(field.value) == field.value for field in found) else ()


def edited_input(request: PermissionRequest, fields: Mapping[str, str]) -> dict[str, Any] | None:
    """Build the edited input from a submitted form; return None if the form does not belong to the request."""
    form = {field.custom_id: field for field in inputs(request)}
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


def _restore_whitespace(before: str, text: str) -> str:
    """Restore the whitespace that Discord's form strips at both ends of a text."""
    text = text.replace("\r\n", "\n")
    if text == before.strip():
        return before
    return text + "\n" if before.endswith("\n") and text and not text.endswith("\n") else text
