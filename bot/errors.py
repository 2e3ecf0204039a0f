"""The bot's errors: the text of each says what happened and what to do about it."""

from typing import ClassVar


class BotError(Exception):
    """The base class; its text is shown to a person unchanged."""

    status: ClassVar[int] = 2
    """The exit status of a command that fails with this error."""


class ConfigError(BotError):
    """The setup is wrong; nothing was started."""


class StateError(BotError):
    """The state folder can't be used."""


class ClaudeError(BotError):
    """Claude could not start, or ended in the middle of its work."""


class DiscordError(BotError):
    """Discord rejected the bot."""


class DiscordAway(DiscordError):  # noqa: N818 - what happened, as in the rest of the tree
    """Discord did not answer: the setup is fine, and a supervisor may try again."""

    status = 1


class NotDone(BotError):  # noqa: N818 - what happened, as in the rest of the tree
    """The bot could not do what a person asked for."""

    status = 1


class ConversationFailed(NotDone):
    """A conversation could not be opened because of an error in the bot or in its state file."""


class Stopping(NotDone):
    """The bot is stopping; the next one continues."""


class NotRunning(BotError):  # noqa: N818 - the same
    """No bot is running."""

    status = 3


class ConnectionLost(NotRunning):
    """The bot stopped in the middle of its answer."""
