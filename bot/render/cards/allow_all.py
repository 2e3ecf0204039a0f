"""The card that allows several requests for the same tool with one click; each has its own card above it."""

from bot.message_names import ALLOW_ALL
from bot.messages import Accent, Box, Button, Buttons, Message, Style, Text
from bot.permission_requests.allow_all import RequestGroup
from bot.permission_requests.ticket import Ticket
from bot.permission_requests.tool_input import CallMcp, FetchPage, ReadFile, RunCommand
from bot.risk import WarningKind
from bot.risk.project_paths import relative
from bot.text.code_block import inline_code
from bot.text.escape import escape_line

MAX_LISTED = 15
MAX_SUBJECT = 90


def draw(group: RequestGroup) -> Message:
    """Draw the button and the list of requests that it allows."""
    count = len(group.tickets)
    lines = [f"### Allow all {count} at once?", f"-# {escape_line(group.tool, 80)}, as shown on the cards above"]
    lines += [f"- {_subject(ticket)}" for ticket in group.tickets[:MAX_LISTED]]
    if count > MAX_LISTED:
        lines.append(f"- and {count - MAX_LISTED} more")
    if group.outside:
        lines.append(f"⚠️ {WarningKind.OUTSIDE.value}.")
    style, accent = (Style.SECONDARY, Accent.WARNING) if group.outside else (Style.SUCCESS, Accent.WAITING)
    row = Buttons((Button(group.custom_id, f"Allow all {count}", style),))
    return Message(ALLOW_ALL.of(group.tool), components=(Box((Text("\n".join(lines)), row), accent),))


def _subject(ticket: Ticket) -> str:
    match ticket.request.action:
        case RunCommand(command=text) | FetchPage(url=text):
            return inline_code(text, MAX_SUBJECT)
        case ReadFile(path=path):
            return inline_code(relative(path, ticket.origin.folder), MAX_SUBJECT)
        case CallMcp(arguments=arguments):
            return inline_code(str(dict(arguments)), MAX_SUBJECT)
    given = ticket.request.input
    file = given.get("file_path") or given.get("notebook_path")
    subject = relative(file, ticket.origin.folder) if isinstance(file, str) else str(given)
    return inline_code(subject, MAX_SUBJECT)
