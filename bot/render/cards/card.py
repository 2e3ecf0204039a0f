"""The card of a ticket: what Claude asks for, then what was decided."""

from bot.messages import MESSAGE_LIMIT, Message
from bot.permission_requests.cached import cached
from bot.permission_requests.permission_request import PermissionRequest
from bot.permission_requests.ticket import Ticket
from bot.permission_requests.tool_input import AskQuestions, ProposePlan
from bot.render.cards import frame, questions, tool
from bot.render.cards import plan as card_plan
from bot.text.code_block import code_block

ORIGINAL = "-# Only you can see this. It is hidden on the card."


@cached
def card(ticket: Ticket) -> Message:
    """Draw a ticket's card. The same ticket always returns the same message."""
    match ticket.request.action:
        case AskQuestions(questions=asked):
            return questions.draw(ticket, asked)
        case ProposePlan() as plan:
            return card_plan.draw(ticket, plan)
        case _:
            return tool.draw(ticket)


def holds_secret(request: PermissionRequest) -> bool:
    """Check whether the card hides part of the request. If so, nobody can edit it or make a rule from it."""
    match request.action:
        case AskQuestions():
            return False
        case ProposePlan():
            return card_plan.holds_secret(request)
        case _:
            return tool.holds_secret(request)


def original(ticket: Ticket) -> Message:
    """Draw the private message that shows an owner the parts that the card hides."""
    request = ticket.request
    match request.action:
        case AskQuestions():
            texts = {"input.json": frame.readable(request.input)}
        case ProposePlan() as plan:
            texts = card_plan.originals(request, plan)
        case _:
            texts = tool.originals(request)
    first, *_ = texts.values()
    shown = code_block(first, "", MESSAGE_LIMIT - len(ORIGINAL) - 10, "the attached file")
    files = [frame.attach(name, text)[0] for name, text in texts.items()]
    return Message(
        f"original-{ticket.id}",
        f"{ORIGINAL}\n{shown.markdown}" if shown.complete else ORIGINAL,
        files=tuple(file for file in files if file is not None),
        already_masked=True,
    )
