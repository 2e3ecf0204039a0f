"""A ticket's card: what Claude asks, and after that what became of it."""

from bot.messages import MESSAGE_LIMIT, Message
from bot.render import card_frame as frame
from bot.render import card_plan, card_questions, card_tool
from bot.render.visible import block
from bot.requests.actions import AskQuestions, ProposePlan, read
from bot.requests.tickets import Ticket

ORIGINAL = "-# Only you see this; on the card it is hidden."


def holds_secret(ticket: Ticket) -> bool:
    """Whether something on the card is not shown as it came: then no rule, and no change, may be made from it."""
    match read(ticket.request):
        case AskQuestions():
            return False
        case ProposePlan() as plan:
            return card_plan.holds_secret(ticket, plan)
        case action:
            return card_tool.holds_secret(ticket, action)


def original(ticket: Ticket) -> Message:
    """Write what the card hides, for one person's eyes."""
    match read(ticket.request):
        case AskQuestions():
            texts = {"input.json": frame.readable(ticket.request.input)}
        case ProposePlan() as plan:
            texts = card_plan.originals(ticket, plan)
        case action:
            texts = card_tool.originals(ticket, action)
    first, *_ = texts.values()
    shown = block(first, "", MESSAGE_LIMIT - len(ORIGINAL) - 10, "the attached file")
    files = [frame.attach(name, text)[0] for name, text in texts.items()]
    return Message(
        f"original-{ticket.id}",
        f"{ORIGINAL}\n{shown.markdown}" if shown.complete else ORIGINAL,
        files=tuple(file for file in files if file is not None),
        veiled=True,
    )


def card(ticket: Ticket) -> Message:
    """Draw a ticket as it is now: the same ticket always gives the same message."""
    match read(ticket.request):
        case AskQuestions(questions=asked):
            return card_questions.draw(ticket, asked)
        case ProposePlan() as plan:
            return card_plan.draw(ticket, plan)
        case action:
            return card_tool.draw(ticket, action)
