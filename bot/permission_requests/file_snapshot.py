"""The file that a request would change or read, as the bot last saw it."""

from dataclasses import dataclass, field
from typing import Literal

Hidden = Literal["", "outside", "secret", "unknown"]
"""Why a file's content is not shown: it is outside the project, its name suggests secrets, or it could not be read."""


@dataclass(frozen=True, slots=True)
class FileSnapshot:
    """The file at that moment."""

    text: str | None = None
    """The file's text; None where it can't be shown, or where there was no file."""
    exists: bool = False
    leads_to: str = ""
    """Where its path really leads, when links in the project take it elsewhere."""
    hidden: Hidden = ""
    stamp: str = field(default="", compare=False)
    """Changes whenever the file does: made of its place, size and times."""
