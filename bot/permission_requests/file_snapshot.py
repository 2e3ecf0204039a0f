"""The file that a request is about, as it was when the bot last looked."""

from dataclasses import dataclass, field
from typing import Literal

Hidden = Literal["", "outside", "secret", "unknown"]
"""Why a file's content is not shown: Claude may not read it without asking, its name says that it holds secrets, or
nobody could look."""


@dataclass(frozen=True, slots=True)
class FileSnapshot:
    """The file as it was then."""

    text: str | None = None
    """The file's text; None where it can't be shown, or where there was no file."""
    exists: bool = False
    leads_to: str = ""
    """Where its path really leads, when links in the project take it elsewhere."""
    hidden: Hidden = ""
    stamp: str = field(default="", compare=False)
    """Differs whenever the file does: where it is, its size, its times."""
