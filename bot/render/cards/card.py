"""A ticket's card: what Claude asks, and after that what became of it."""

from bot.messages import MESSAGE_LIMIT, Message
from bot.permission_requests.ticket import Ticket
from bot.permission_requests.tool_input import AskQuestions, ProposePlan, read
from bot.render.cards import frame, questions, tool
from bot.render.cards import plan as card_plan
from bot.text.code_block import code_block

ORIGINAL = "-# Only you see this; on the card it is hidden."


def holds_secret(ticket: Ticket) -> bool:
    """Whether something on the card is not shown as it came: then no rule, and no change, may be made from it."""
    match read(ticket.request):
        case AskQuestions():
            return False
        case ProposePlan() as plan:
            return card_plan.holds_secret(ticket, plan)
        case action:
            return tool.holds_secret(ticket, action)


def original(ticket: Ticket) -> Message:
    """Write what the card hides, for one person's eyes."""
    match read(ticket.request):
        case AskQuestions():
            texts = {"input.json": frame.readable(ticket.request.input)}
        case ProposePlan() as plan:
            texts = card_plan.originals(ticket, plan)
        case action:
            texts = tool.originals(ticket, action)
    first, *_ = texts.values()
    shown = code_block(first, "", MESSAGE_LIMIT - len(ORIGINAL) - 10, "the attached file")
    files = [frame.attach(name, text)[0] for name, text in texts.items()]
    return Message(
        f"original-{ticket.id}",
        f"{ORIGINAL}\n{shown.markdown}" if shown.complete else ORIGINAL,
        files=tuple(file for file in files if file is not None),
        already_masked=True,
    )


def card(ticket: Ticket) -> Message:
    """Draw a ticket as it is now: the same ticket always gives the same message."""
    match read(ticket.request):
        case AskQuestions(questions=asked):
            return questions.draw(ticket, asked)
        case ProposePlan() as plan:
            return card_plan.draw(ticket, plan)
        case action:
            return tool.draw(ticket, action)
