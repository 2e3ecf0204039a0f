"""The card of a plan: readable, and ready to be approved, changed or sent back."""

import re

from bot.messages import AttachedFile, Button, Buttons, File, Message, Style, Text
from bot.render import card_frame as frame
from bot.render.visible import block, clip, reveal, size
from bot.requests import edits
from bot.requests.actions import ProposePlan
from bot.requests.tickets import Open, Ticket

MOST_EXTRA = 500
_SPOILER = re.compile(r"(```.*?(?:```|\Z)|`[^`\n]+`)|\|\|", re.DOTALL)
NO_PLAN = "-# Claude wrote no plan down; what it means to do is in its messages above."


def draw(ticket: Ticket, action: ProposePlan) -> Message:
    head = frame.head(ticket, "Go ahead with this plan")
    outcome, edited = frame.outcome(ticket)
    files: list[File] = [edited] if edited else []
    extra = ""
    if action.extra:
        shown = block(frame.readable(action.extra), "json", MOST_EXTRA, "input.json")
        extra = f"Also in the request:\n{shown.markdown}"
        if not shown.complete:
            files += _file("input.json", frame.readable(ticket.request.input))
    plan = _unspoiled(reveal(action.plan, "\u200c\u200d\ufe0f\u00a0\u202f\u00ad").strip())
    room = frame.room_beside(head.markdown, outcome, extra) - 100
    if size(plan) > room:
        plan = f"{_beginning(plan, room)}\n-# … and more: the whole plan is in plan.md."
        files += _file("plan.md", action.plan)
    parts: list[frame.Part] = [head, Text(_closed(plan) or NO_PLAN)]
    parts += [Text(text) for text in (extra, outcome) if text]
    parts += [AttachedFile(file.name) for file in files]
    if isinstance(ticket.state, Open):
        parts.append(Buttons(tuple(_buttons(ticket))))
    return frame.message(ticket, parts, frame.accent(ticket), tuple(files))


def _buttons(ticket: Ticket) -> list[Button]:
    buttons = [
        frame.button(ticket, "allow", "Approve", Style.SUCCESS),
        frame.button(ticket, "accept", "Approve, accept edits", Style.PRIMARY),
        frame.button(ticket, "why", "Keep planning…"),
    ]
    if edits.inputs(ticket.request):
        buttons.append(frame.button(ticket, "edit", "Edit plan…"))
    return buttons


def _beginning(plan: str, room: int) -> str:
    """Cut at the end of a line, and close a code block that is open there."""
    cut = clip(plan, room - 10)
    if "\n" in cut[room // 2 :]:
        cut = cut.rpartition("\n")[0]
    return _closed(cut)


def _unspoiled(plan: str) -> str:
    """Keep Discord from covering what stands between two `||`; in code they are what they are."""
    return _SPOILER.sub(lambda found: found[1] or r"\|\|", plan)


def _closed(plan: str) -> str:
    """Close a code block that is left open, or what stands below it would seem to be in it."""
    return f"{plan}\n```" if plan.count("```") % 2 else plan


def _file(name: str, text: str) -> list[File]:
    file, _ = frame.attach(name, text)
    return [file] if file else []
