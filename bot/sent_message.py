"""A message that the bot has sent to Discord, and what is being done to it."""

from dataclasses import dataclass, replace


@dataclass(frozen=True, slots=True)
class Sending:
    """It is on its way: it may stand in Discord already, or not."""

    replaces: int = 0
    """The message that was deleted before this one was sent in its place."""


@dataclass(frozen=True, slots=True)
class Standing:
    """It stands in Discord, with this content."""

    message: int
    digest: str


@dataclass(frozen=True, slots=True)
class Editing:
    """An edit is on its way."""

    message: int


@dataclass(frozen=True, slots=True)
class AnsweringClick:
    """The answer to a click is on its way, and may still fail; it gives the message this content."""

    message: int
    digest: str


@dataclass(frozen=True, slots=True)
class InDoubt:
    """An edit, or the answer to a click, may have arrived or not: the message is edited again."""

    message: int


@dataclass(frozen=True, slots=True)
class Missing:
    """Somebody deleted it, and it can be pressed: it is sent again."""

    message: int


@dataclass(frozen=True, slots=True)
class Deleted:
    """Somebody deleted it, and it stays deleted."""


MessageState = Sending | Standing | Editing | AnsweringClick | InDoubt | Missing | Deleted


@dataclass(frozen=True, slots=True)
class SentMessage:
    """One message of a view, and its state."""

    view: str
    key: str
    channel: int
    state: MessageState

    @property
    def message(self) -> int | None:
        """Its id in Discord, while it stands there."""
        match self.state:
            case Standing() | Editing() | AnsweringClick() | InDoubt():
                return self.state.message
        return None

    def becomes(self, state: MessageState) -> "SentMessage":
        return replace(self, state=state)

    def was_deleted(self, *, comes_back: bool) -> "SentMessage":
        """Somebody deleted it: what waits to be pressed comes back, anything else stays deleted."""
        return self.becomes(Missing(self.message) if comes_back and self.message is not None else Deleted())

    def looks_like(self, digest: str) -> bool:
        """Whether Discord shows this content, or is being told to."""
        match self.state:
            case Standing(digest=shown) | AnsweringClick(digest=shown):
                return shown == digest
        return False

    @property
    def unsent(self) -> bool:
        """Whether it has to be sent: it may never have arrived, or somebody deleted it."""
        return isinstance(self.state, Sending | Missing)
