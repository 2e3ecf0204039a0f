"""The custom_ids of the buttons, menus and forms of a card. Cards stay in Discord, so none may change its meaning."""

import re
from dataclasses import dataclass

_CUSTOM_ID = re.compile(r"ask:([A-Za-z0-9_-]{1,40}):([a-z]{1,20})(?::([A-Za-z0-9_-]{1,30}))?", re.ASCII)


@dataclass(frozen=True, slots=True)
class Press:
    """A parsed custom_id: the ticket, and which button or menu of its card was used."""

    ticket_id: str
    verb: str
    arg: str = ""


def custom_id(ticket_id: str, verb: str, arg: str | int = "") -> str:
    return f"ask:{ticket_id}:{verb}" + (f":{arg}" if arg != "" else "")


def parse(text: str) -> Press | None:
    """Parse a custom_id; return None if it does not belong to a card."""
    found = _CUSTOM_ID.fullmatch(text)
    return Press(found[1], found[2], found[3] or "") if found else None
