"""A ticket: a permission request and its decision, if it has one."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

from bot.permission_requests.file_snapshot import FileSnapshot
from bot.permission_requests.permission_request import PermissionRequest, RequestOrigin
from shared.protocol import Allow, Deny

Via = Literal["button", "text", "time-out"]
"""How a decision was made: with a button, by a typed answer, or because nobody answered in time."""


@dataclass(frozen=True, slots=True)
class Draft:
    """The input of a person on a card that is not decided yet."""

    answers: Mapping[int, tuple[str, ...]] = field(default_factory=dict)
    """Question number -> the full labels of the chosen options, or the free-text answer."""
    panel: str = ""
    """The open panel of the card, such as "always"; empty if none is."""
    overheard: bool = False
    """Whether someone wrote another message while this was open."""


@dataclass(frozen=True, slots=True)
class Open:
    """The ticket is waiting for a decision."""


@dataclass(frozen=True, slots=True)
class Decided:
    decision: Allow | Deny
    by: int | None
    """The Discord user; None for a time-out."""
    at: float
    note: str = ""
    """Details of the decision, such as "edited" or "always, in this project: …"."""
    via: Via = "button"


@dataclass(frozen=True, slots=True)
class Withdrawn:
    """The decision is no longer needed."""

    reason: str
    at: float


State = Open | Decided | Withdrawn


@dataclass(frozen=True)
class Ticket:
    id: str
    """Twelve characters that can't be guessed and are safe in a custom_id."""
    request: PermissionRequest
    opened_at: float
    state: State = Open()
    draft: Draft = Draft()
    changed_at: float = 0.0
    """When the card last changed because its file did; 0 if it never did."""

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
        """The card's version, part of its buttons: a button drawn before the last change does not allow anything."""
        return f"{self.changed_at * 1000:.0f}" if self.changed_at else ""
