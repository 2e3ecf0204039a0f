"""The card of a plan, with buttons to approve it, edit it or send it back."""

import re

from bot.masking import MaskedText, mask_for_card
from bot.messages import AttachedFile, Button, Buttons, File, Message, Style, Text
from bot.permission_requests import edit_form, rule_offers
from bot.permission_requests.cached import cached
from bot.permission_requests.permission_request import PermissionRequest
from bot.permission_requests.ticket import Open, Ticket
from bot.permission_requests.tool_input import ProposePlan
from bot.render.cards import frame
from bot.text.bidi import left_to_right
from bot.text.code_block import code_block
from bot.text.hidden_characters import MOST_READ, PROSE, show_hidden
from bot.text.truncate import truncate, utf16_length

MOST_EXTRA = 500
EDIT_FREELY = "Approve, edit freely"
_SPOILER = re.compile(r"(```.*?(?:```|\Z)|`[^`\n]+`)|\|\|", re.DOTALL)
NO_PLAN = "-# Claude didn't write the plan down. Its messages above say what it wants to do."


def draw(ticket: Ticket, action: ProposePlan) -> Message:
    head = frame.head(ticket, "Go ahead with this plan")
    outcome, edited = frame.outcome(ticket, "Edited before approval:")
    files: list[File] = [edited] if edited else []
    extra = ""
    masked = _masked(ticket.request)
    hides = any(each.hides for each in masked) and isinstance(ticket.state, Open)
    whole = masked[0].text
    if action.extra:
        shown = code_block(mask_for_card(frame.readable(action.extra)).text, "json", MOST_EXTRA, "input.json")
        extra = f"Also in the request:\n{shown.markdown}"
        if not shown.complete:
            files += _file("input.json", mask_for_card(frame.readable(ticket.request.input)).text)
    plan = _unspoiled(show_hidden(whole[:MOST_READ], PROSE).strip())
    room = frame.room_beside(head.markdown, outcome, extra, frame.HIDES) - 400
    if utf16_length(plan) > room or len(whole) > MOST_READ:
        plan = f"{_beginning(plan, room)}\n-# … the whole plan is in plan.md."
        files += _file("plan.md", whole)
    parts: list[frame.Part] = [head, Text(_closed(plan) or NO_PLAN)]
    bends = not holds_secret(ticket.request)
    freely = _freely(ticket) if bends and isinstance(ticket.state, Open) else ""
    parts += [Text(text) for text in (extra, freely, frame.HIDES if hides else "", outcome) if text]
    parts += [AttachedFile(file.name) for file in files]
    if isinstance(ticket.state, Open):
        parts.append(Buttons(tuple(_buttons(ticket, cautious=hides, bends=bends))))
        if hides:
            parts.append(frame.show_original(ticket))
    return frame.message(ticket, parts, frame.accent(ticket), tuple(files), already_masked=True)


def originals(request: PermissionRequest, action: ProposePlan) -> dict[str, str]:
    """Return what the card shows or attaches, with nothing hidden: texts by file name."""
    return {"plan.md": action.plan, "input.json": frame.readable(request.input)}


def holds_secret(request: PermissionRequest) -> bool:
    return any(each.hides or each.shortened for each in _masked(request))


@cached
def _masked(request: PermissionRequest) -> tuple[MaskedText, ...]:
    action = request.action
    assert isinstance(action, ProposePlan)  # noqa: S101 - other actions have cards of their own
    also = (action.extra, request.input) if action.extra else ()
    return mask_for_card(action.plan), *(mask_for_card(frame.readable(given)) for given in also)


def _freely(ticket: Ticket) -> str:
    """Explain the second button: a label is not enough for a permission that lasts."""
    asker = ticket.origin.prompted_by
    who = f"<@{asker}>" if asker is not None else "whoever wrote last"
    second = f"\n-# 👥 Someone other than {who} must press it." if ticket.origin.second_person else ""
    return f"-# *{EDIT_FREELY}* also allows {rule_offers.EDIT_FREELY.words}.{second}"


def _buttons(ticket: Ticket, *, cautious: bool, bends: bool) -> list[Button]:
    buttons = [
        frame.button(ticket, "allow", "Approve", Style.SECONDARY if cautious else Style.SUCCESS),
        frame.button(ticket, "why", "Keep planning…"),
    ]
    if bends:  # no rule may be made on a card that hides something
        buttons.insert(1, frame.button(ticket, "accept", EDIT_FREELY, Style.PRIMARY))
    if bends and edit_form.inputs(ticket.request):
        buttons.append(frame.button(ticket, "edit", "Edit plan…"))
    return buttons


def _beginning(plan: str, room: int) -> str:
    """Cut at the end of a line, and close a code block that is open there."""
    cut = truncate(plan, room - 10)
    if "\n" in cut[room // 2 :]:
        cut = cut.rpartition("\n")[0]
    return _closed(cut)


def _unspoiled(plan: str) -> str:
    """Escape `||`, which would make a spoiler; in code, only keep the words in order."""
    return _SPOILER.sub(lambda found: left_to_right(found[1]) if found[1] else r"\|\|", plan)


def _closed(plan: str) -> str:
    """Close a code block that is left open, or the text below would seem to be part of it."""
    return f"{plan}\n```" if plan.count("```") % 2 else plan


def _file(name: str, text: str) -> list[File]:
    file, _ = frame.attach(name, text)
    return [file] if file else []
