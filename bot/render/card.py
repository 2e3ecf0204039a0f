"""A ticket's card: what Claude asks, and after that what became of it."""

from bot.messages import Message
from bot.render import card_plan, card_questions, card_tool
from bot.requests.actions import AskQuestions, ProposePlan, read
from bot.requests.tickets import Ticket


def card(ticket: Ticket) -> Message:
    """Draw a ticket as it is now: the same ticket always gives the same message."""
    match read(ticket.request):
        case AskQuestions(questions=asked):
            return card_questions.draw(ticket, asked)
        case ProposePlan() as plan:
            return card_plan.draw(ticket, plan)
        case action:
            return card_tool.draw(ticket, action)
