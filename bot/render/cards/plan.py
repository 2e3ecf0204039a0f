"""The card of a plan, with buttons to approve it, edit it or ask for changes."""

import re

from bot.masking import MaskedText, mask_for_card
from bot.messages import AttachedFile, Button, Buttons, File, Message, Style, Text
from bot.permission_requests import card_forms, rule_offers
from bot.permission_requests.cached import cached
from bot.permission_requests.permission_request import PermissionRequest
from bot.permission_requests.ticket import Open, Ticket
from bot.permission_requests.tool_input import ProposePlan
from bot.render.cards import frame
from bot.text.bidi import left_to_right
from bot.text.code_block import code_block
from bot.text.hidden_characters import MAX_READ, PROSE, show_hidden
from bot.text.truncate import truncate, utf16_length

MAX_EXTRA = 500
EDIT_FREELY = "Approve and allow edits"
_CODE_OR_SPOILER = re.compile(r"(```.*?(?:```|\Z)|`[^`\n]+`)|\|\|", re.DOTALL)
NO_PLAN = "-# Claude didn't include the plan here. Its messages above describe what it wants to do."


def draw(ticket: Ticket, action: ProposePlan) -> Message:
    head = frame.head(ticket, "Go ahead with this plan")
    outcome, edited = frame.outcome(ticket, "Edited before approval:")
    files: list[File] = [edited] if edited else []
    extra = ""
    masked = _masked_texts(ticket.request)
    hides = any(each.hides for each in masked) and isinstance(ticket.state, Open)
    whole = masked[0].text
    if action.extra:
        shown = code_block(mask_for_card(frame.readable(action.extra)).text, "json", MAX_EXTRA, "input.json")
        extra = f"Also in the request:\n{shown.markdown}"
        if not shown.complete:
            files += _attachment("input.json", mask_for_card(frame.readable(ticket.request.input)).text)
    plan = _escape_spoilers(show_hidden(whole[:MAX_READ], PROSE).strip())
    room = frame.room_left(head.markdown, outcome, extra, frame.HIDES) - 400
    if utf16_length(plan) > room or len(whole) > MAX_READ:
        plan = f"{_beginning(plan, room)}\n-# … the full plan is in plan.md."
        files += _attachment("plan.md", whole)
    parts: list[frame.Part] = [head, Text(_close_code_block(plan) or NO_PLAN)]
    unmasked = not holds_secret(ticket.request)
    note = _edit_freely_note(ticket) if unmasked and isinstance(ticket.state, Open) else ""
    parts += [Text(text) for text in (extra, note, frame.HIDES if hides else "", outcome) if text]
    parts += [AttachedFile(file.name) for file in files]
    if isinstance(ticket.state, Open):
        parts.append(Buttons(tuple(_buttons(ticket, cautious=hides, unmasked=unmasked))))
        if hides:
            parts.append(frame.show_original(ticket))
    return frame.message(ticket, parts, frame.accent(ticket), tuple(files), already_masked=True)


def originals(request: PermissionRequest, action: ProposePlan) -> dict[str, str]:
    """Return the unmasked texts of the card and its files, by file name."""
    return {"plan.md": action.plan, "input.json": frame.readable(request.input)}


def holds_secret(request: PermissionRequest) -> bool:
    return any(each.hides or each.shortened for each in _masked_texts(request))


@cached
def _masked_texts(request: PermissionRequest) -> tuple[MaskedText, ...]:
    action = request.action
    assert isinstance(action, ProposePlan)  # noqa: S101 - other actions have cards of their own
    also = (action.extra, request.input) if action.extra else ()
    return mask_for_card(action.plan), *(mask_for_card(frame.readable(given)) for given in also)


def _edit_freely_note(ticket: Ticket) -> str:
    """Explain the second button: a permission that lasts needs more than a label."""
    asker = ticket.origin.prompted_by
    who = f"<@{asker}>" if asker is not None else "whoever wrote last"
    second = f"\n-# 👥 Someone other than {who} must press it." if ticket.origin.second_person else ""
    return f"-# *{EDIT_FREELY}* also allows {rule_offers.EDIT_FREELY.words}.{second}"


def _buttons(ticket: Ticket, *, cautious: bool, unmasked: bool) -> list[Button]:
    buttons = [
        frame.button(ticket, "allow", "Approve", Style.SECONDARY if cautious else Style.SUCCESS),
        frame.button(ticket, "why", "Keep planning…"),
    ]
    if unmasked:  # no rules or edits on a card that hides something
        buttons.insert(1, frame.button(ticket, "accept", EDIT_FREELY, Style.PRIMARY))
    if unmasked and card_forms.edit_inputs(ticket.request):
        buttons.append(frame.button(ticket, "edit", "Edit plan…"))
    return buttons


def _beginning(plan: str, room: int) -> str:
    """Cut the plan at the end of a line, and close a code block that is still open."""
    cut = truncate(plan, room - 10)
    if "\n" in cut[room // 2 :]:
        cut = cut.rpartition("\n")[0]
    return _close_code_block(cut)


def _escape_spoilers(plan: str) -> str:
    """Escape `||`, which would make a spoiler; in code, only keep the word order."""
    return _CODE_OR_SPOILER.sub(lambda found: left_to_right(found[1]) if found[1] else r"\|\|", plan)


def _close_code_block(plan: str) -> str:
    """Close a code block that is still open, so that the text below is not drawn as code."""
    return f"{plan}\n```" if plan.count("```") % 2 else plan


def _attachment(name: str, text: str) -> list[File]:
    file, _ = frame.attach(name, text)
    return [file] if file else []
