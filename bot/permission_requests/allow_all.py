"""Groups of requests for the same tool that one button can allow together."""

import hashlib
import json
from collections.abc import Iterable
from dataclasses import dataclass

from bot import risk
from bot.masking import find_secrets
from bot.permission_requests.ticket import Open, Ticket
from bot.permission_requests.tool_input import AskQuestions, ProposePlan

MIN_GROUP = 3
"""Smaller groups are just as quick to allow one by one."""
MAX_GROUP = 50
"""Further requests form a new group once these are decided."""
LOOKUP_TOOLS = frozenset({"Read", "Grep", "Glob", "LS"})


@dataclass(frozen=True, slots=True)
class RequestGroup:
    """Open requests for the same tool, without warnings that need a separate review."""

    tool: str
    tickets: tuple[Ticket, ...]

    @property
    def outside(self) -> bool:
        """Whether the requests access files outside the project's folder."""
        return any(ticket.request.warnings for ticket in self.tickets)

    @property
    def custom_id(self) -> str:
        """Identify exactly these requests in their current version: adding, removing or changing one changes the id."""
        names = ",".join(sorted(f"{ticket.id}{ticket.version}" for ticket in self.tickets))
        return f"all:{hashlib.sha256(names.encode()).hexdigest()[:24]}"


def find_groups(tickets: Iterable[Ticket]) -> list[RequestGroup]:
    """Return the groups of requests that can be allowed together."""
    kinds: dict[str, list[Ticket]] = {}
    for ticket in tickets:
        if isinstance(ticket.state, Open):
            kinds.setdefault(ticket.request.tool_name, []).append(ticket)
    large = {tool: group[:MAX_GROUP] for tool, group in kinds.items() if len(group) >= MIN_GROUP}
    plain = {tool: tuple(filter(_is_plain, group)) for tool, group in large.items()}
    return [RequestGroup(tool, found) for tool, found in plain.items() if len(found) >= MIN_GROUP]


def _is_plain(ticket: Ticket) -> bool:
    request = ticket.request
    if isinstance(request.action, AskQuestions | ProposePlan) or request.unchecked:
        return False
    if find_secrets(json.dumps(request.input, default=repr)):  # the list has no room for a note about it
        return False
    warnings = {warning.kind for warning in request.warnings}
    # Reads outside the project come by the dozen; a request with any other warning needs its own click.
    return not warnings or (warnings == {risk.WarningKind.OUTSIDE} and request.tool_name in LOOKUP_TOOLS)
