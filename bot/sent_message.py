"""A message that the bot has sent to Discord, and its state."""

from dataclasses import dataclass, replace


@dataclass(frozen=True, slots=True)
class Sending:
    """It is on its way: it may already be in Discord or not."""

    replaces: int = 0
    """The message that was deleted before this one was sent in its place."""


@dataclass(frozen=True, slots=True)
class Standing:
    """It is in Discord, with this content."""

    message: int
    digest: str


@dataclass(frozen=True, slots=True)
class Editing:
    """An edit is on its way."""

    message: int


@dataclass(frozen=True, slots=True)
class AnsweringClick:
    """The response to a click, which gives the message this content, is on its way and may still fail."""

    message: int
    digest: str


@dataclass(frozen=True, slots=True)
class InDoubt:
    """An edit or the response to a click may have arrived or not, so the message is edited again."""

    message: int


@dataclass(frozen=True, slots=True)
class Missing:
    """Someone deleted it, and it has buttons to press, so it is sent again."""

    message: int


@dataclass(frozen=True, slots=True)
class Deleted:
    """Someone deleted it, and it stays deleted."""


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
        """Its id in Discord, while it is there."""
        match self.state:
            case Standing() | Editing() | AnsweringClick() | InDoubt():
                return self.state.message
        return None

    def becomes(self, state: MessageState) -> "SentMessage":
        return replace(self, state=state)

    def was_deleted(self, *, comes_back: bool) -> "SentMessage":
        """Return it as deleted by someone; if `comes_back`, it is sent again."""
        return self.becomes(Missing(self.message) if comes_back and self.message is not None else Deleted())

    def looks_like(self, digest: str) -> bool:
        """Check whether Discord shows this content or is being sent it."""
        match self.state:
            case Standing(digest=shown) | AnsweringClick(digest=shown):
                return shown == digest
        return False

    @property
    def unsent(self) -> bool:
        """Whether it must be sent: it may never have arrived, or someone deleted it."""
        return isinstance(self.state, Sending | Missing)
