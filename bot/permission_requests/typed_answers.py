"""Understands a typed answer to a permission request, such as `yes`, `always` or `no because …`."""

import re
from dataclasses import dataclass
from typing import Literal

_YES = frozenset({"1", "approve", "allow", "yes"})
_ALWAYS = frozenset({"2", "always"})
_NO = re.compile(r"(?:3|deny|no)(?:(?:\s+because\b|\s*[,:;])\s*(?P<why>.+))?", re.IGNORECASE | re.DOTALL)


@dataclass(frozen=True, slots=True)
class No:
    """The request is denied, perhaps with a reason."""

    reason: str


def read_answer(text: str) -> Literal["yes", "always"] | No | None:
    """Return what the text means; None if it answers no permission request."""
    text = text.strip().rstrip(".!")
    if text.casefold() in _YES:
        return "yes"
    if text.casefold() in _ALWAYS:
        return "always"
    found = _NO.fullmatch(text)
    return No(found["why"] or "") if found else None
