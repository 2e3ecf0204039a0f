"""A ticket: one request of Claude's that waits, or waited, for a person."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

from shared.protocol import Allow, Deny, Request

Via = Literal["button", "text", "time-out"]
"""How a decision came: somebody pressed, somebody wrote, or nobody was there."""
Hidden = Literal["", "outside", "secret", "unknown"]
"""Why a file's content is not shown: Claude may not read it without asking, its name says that it holds secrets, or
nobody could look."""


@dataclass(frozen=True, slots=True)
class Origin:
    """Where a request comes from, as far as a person wants to know before deciding."""

    project: str
    folder: str
    prompted_by: int | None = None
    """The Discord user whose prompt started the turn; None when Claude started it by itself."""
    subagent: str | None = None
    """What the asking subagent was told to do; None for Claude itself."""
    second_person: bool = False
    """If it carries a warning, somebody else than the one who prompted it has to allow it."""


@dataclass(frozen=True, slots=True)
class Seen:
    """The file that a request is about, as it was when it was last looked at."""

    text: str | None = None
    """What stood in it; None where that can't be shown, or where there was none."""
    exists: bool = False
    leads_to: str = ""
    """Where its path really leads, when links in the project take it elsewhere."""
    hidden: Hidden = ""
    stamp: str = field(default="", compare=False)
    """What is another when the file is: where it is, its size, its times."""
    changed_at: float = 0.0
    """When the card became another because the file had; 0: it is as Claude asked."""

    @property
    def version(self) -> str:
        """Name the card's state for its buttons: one that was drawn before the last change allows nothing."""
        return f"{self.changed_at * 1000:.0f}" if self.changed_at else ""


@dataclass(frozen=True, slots=True)
class Draft:
    """What a person has filled in on a card, before anything is decided."""

    answers: Mapping[int, tuple[str, ...]] = field(default_factory=dict)
    """Question number -> the chosen labels in full, or the one free text."""
    panel: str = ""
    """Which side of the card is open, e.g. "always"; empty is the front."""
    overheard: bool = False
    """Something else was written while this was open."""


@dataclass(frozen=True, slots=True)
class Open:
    """Somebody has to decide."""


@dataclass(frozen=True, slots=True)
class Decided:
    decision: Allow | Deny
    by: int | None
    """The Discord user; None when no person did (a time-out)."""
    at: float
    note: str = ""
    """What was decided, when it is more than yes or no: "with edits accepted", "always: npm test"."""
    via: Via = "button"


@dataclass(frozen=True, slots=True)
class Withdrawn:
    """Nobody waits for the answer any more."""

    reason: str
    at: float


State = Open | Decided | Withdrawn


@dataclass(frozen=True, slots=True)
class Ticket:
    id: str
    """Twelve characters, not guessable, safe inside a custom_id."""
    conversation: int
    request: Request
    origin: Origin
    opened_at: float
    state: State = Open()
    draft: Draft = Draft()
    file: Seen = Seen()
