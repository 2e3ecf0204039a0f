"""Several requests of one kind at once: what may be allowed together."""

import hashlib
import json
import re
from collections.abc import Iterable
from dataclasses import dataclass

from bot import risk
from bot.masking import find_secrets
from bot.permission_requests.ticket import Open, Ticket
from bot.permission_requests.tool_input import AskQuestions, ProposePlan

LEAST = 3
"""Fewer are pressed as quickly one by one."""
MOST = 50
"""More are looked at when these are decided."""
LOOKING = frozenset({"Read", "Grep", "Glob", "LS"})
_CUSTOM_ID = re.compile(r"all:([0-9a-f]{24})", re.ASCII)


@dataclass(frozen=True, slots=True)
class Together:
    """Open requests for the same tool, none of which carries a warning that deserves a look of its own."""

    tool: str
    tickets: tuple[Ticket, ...]

    @property
    def outside(self) -> bool:
        """Whether they go beyond the project's folder."""
        return any(ticket.request.warnings for ticket in self.tickets)

    @property
    def custom_id(self) -> str:
        """Name exactly these requests as they are now: one more, one less, or one that changed, is another button."""
        names = ",".join(sorted(f"{ticket.id}{ticket.version}" for ticket in self.tickets))
        return f"all:{hashlib.sha256(names.encode()).hexdigest()[:24]}"


def together(tickets: Iterable[Ticket]) -> list[Together]:
    """Find what can be allowed at once: more than two of the same kind."""
    kinds: dict[str, list[Ticket]] = {}
    for ticket in tickets:
        if isinstance(ticket.state, Open):
            kinds.setdefault(ticket.request.tool_name, []).append(ticket)
    heaps = {tool: heap[:MOST] for tool, heap in kinds.items() if len(heap) >= LEAST}
    plain = {tool: tuple(filter(_is_plain, heap)) for tool, heap in heaps.items()}
    return [Together(tool, found) for tool, found in plain.items() if len(found) >= LEAST]


def is_for_all(custom_id: str) -> bool:
    """Whether a button was one for several requests, these or others."""
    return _CUSTOM_ID.fullmatch(custom_id) is not None


def _is_plain(ticket: Ticket) -> bool:
    request = ticket.request
    if isinstance(request.action, AskQuestions | ProposePlan) or request.unchecked:
        return False
    if find_secrets(json.dumps(request.input, default=repr)):  # the list has no room to say that it hides something
        return False
    warnings = {warning.kind for warning in request.warnings}
    # Looking around outside is what comes in dozens; whatever else deserves a warning deserves a card of its own.
    return not warnings or (warnings == {risk.WarningKind.OUTSIDE} and request.tool_name in LOOKING)
