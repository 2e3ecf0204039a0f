"""A ticket: one of Claude's requests that waits, or waited, for a person's decision."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

from bot.permission_requests.file_snapshot import FileSnapshot
from bot.permission_requests.permission_request import PermissionRequest, RequestOrigin
from shared.protocol import Allow, Deny

Via = Literal["button", "text", "time-out"]
"""How a decision was made: with a button, by a typed answer, or by nobody in time."""


@dataclass(frozen=True, slots=True)
class Draft:
    """What a person has filled in on a card, before anything is decided."""

    answers: Mapping[int, tuple[str, ...]] = field(default_factory=dict)
    """Question number -> the chosen labels in full, or the one free text."""
    panel: str = ""
    """Which panel of the card is open, e.g. "always"; empty: none."""
    overheard: bool = False
    """Whether someone wrote something else while this was open."""


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
    """What was decided, when it is more than yes or no, such as "edited" or "always, in this project: …"."""
    via: Via = "button"


@dataclass(frozen=True, slots=True)
class Withdrawn:
    """Nobody is waiting for the decision any more."""

    reason: str
    at: float


State = Open | Decided | Withdrawn


@dataclass(frozen=True)
class Ticket:
    id: str
    """Twelve characters, not guessable, safe inside a custom_id."""
    request: PermissionRequest
    opened_at: float
    state: State = Open()
    draft: Draft = Draft()
    changed_at: float = 0.0
    """When the card last changed because its file did; 0 if it never has."""

    @property
    def conversation(self) -> int:
        return self.request.conversation

    @property
    def origin(self) -> RequestOrigin:
        return self.request.origin

    @property
    def file(self) -> FileSnapshot:
        return self.request.file

    @property
    def version(self) -> str:
        """The card's version, for its buttons: a button that was drawn before the last change allows nothing."""
        return f"{self.changed_at * 1000:.0f}" if self.changed_at else ""
