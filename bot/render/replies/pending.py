"""The reply to `/pending`."""

from collections.abc import Sequence

from bot.messages import Message
from bot.permission_requests.ticket import Ticket
from bot.render.replies.reply_lines import fit_lines, subject
from bot.text.count import count
from bot.text.escape import escape_line

NOTHING_WAITS = "Nothing is waiting for an answer."


def pending_reply(waiting: Sequence[tuple[Ticket, int]], guild: int) -> Message:
    """List the open requests with links to their cards. A message of 0 means that the card is not in Discord yet."""
    lines = []
    for ticket, message in waiting:
        link = f"https://discord.com/channels/{guild}/{ticket.conversation}" + (f"/{message}" if message else "")
        what = f"{escape_line(ticket.request.tool_name, 40)} {subject(ticket.request.input)}".strip()
        lines.append(f"- <t:{int(ticket.opened_at)}:R> **{escape_line(ticket.origin.project, 40)}**: {what} {link}")
    return Message(
        "pending", fit_lines([f"**{count(len(lines), 'open request')}**", *lines]) if lines else NOTHING_WAITS
    )
