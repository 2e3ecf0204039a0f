"""Groups of requests for the same tool that one button may allow at once."""

import hashlib
import json
from collections.abc import Iterable
from dataclasses import dataclass

from bot import risk
from bot.masking import find_secrets
from bot.permission_requests.ticket import Open, Ticket
from bot.permission_requests.tool_input import AskQuestions, ProposePlan

LEAST = 3
"""Fewer are just as quick to press one by one."""
MOST = 50
"""More form a new group once these are decided."""
LOOKING = frozenset({"Read", "Grep", "Glob", "LS"})


@dataclass(frozen=True, slots=True)
class RequestGroup:
    """Open requests for the same tool, none with a warning that deserves a separate look."""

    tool: str
    tickets: tuple[Ticket, ...]

    @property
    def outside(self) -> bool:
        """Whether they go beyond the project's folder."""
        return any(ticket.request.warnings for ticket in self.tickets)

    @property
    def custom_id(self) -> str:
        """Identify exactly these requests as they are now: adding, removing or changing one makes another button."""
        names = ",".join(sorted(f"{ticket.id}{ticket.version}" for ticket in self.tickets))
        return f"all:{hashlib.sha256(names.encode()).hexdigest()[:24]}"


def find_groups(tickets: Iterable[Ticket]) -> list[RequestGroup]:
    """Find the requests that can be allowed at once: at least `LEAST` for the same tool."""
    kinds: dict[str, list[Ticket]] = {}
    for ticket in tickets:
        if isinstance(ticket.state, Open):
            kinds.setdefault(ticket.request.tool_name, []).append(ticket)
    heaps = {tool: heap[:MOST] for tool, heap in kinds.items() if len(heap) >= LEAST}
    plain = {tool: tuple(filter(_is_plain, heap)) for tool, heap in heaps.items()}
    return [RequestGroup(tool, found) for tool, found in plain.items() if len(found) >= LEAST]


def _is_plain(ticket: Ticket) -> bool:
    request = ticket.request
    if isinstance(request.action, AskQuestions | ProposePlan) or request.unchecked:
        return False
    if find_secrets(json.dumps(request.input, default=repr)):  # the list has no room to say that it hides something
        return False
    warnings = {warning.kind for warning in request.warnings}
    # Reads outside the project come by the dozen; whatever else deserves a warning deserves its own click.
    return not warnings or (warnings == {risk.WarningKind.OUTSIDE} and request.tool_name in LOOKING)
