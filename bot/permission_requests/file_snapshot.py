"""The file that a request would change or read, as the bot last saw it."""

from dataclasses import dataclass, field
from typing import Literal

Hidden = Literal["", "outside", "secret", "unknown"]
"""Why a file's content is not shown: it is outside the project, its name suggests secrets, or it could not be read."""


@dataclass(frozen=True, slots=True)
class FileSnapshot:
    text: str | None = None
    """The file's text; None if it can't be shown or the file did not exist."""
    exists: bool = False
    leads_to: str = ""
    """The real path, if links in the project lead elsewhere."""
    hidden: Hidden = ""
    stamp: str = field(default="", compare=False)
    """Changes whenever the file does: consists of its location, size and times."""
