"""What can go wrong, each as a sentence for the person at the keyboard, with its cure."""

from typing import ClassVar


class BotError(Exception):
    """The root: its text is shown to a person as it stands."""

    status: ClassVar[int] = 2
    """The exit status of a command that ends with it."""


class ConfigError(BotError):
    """The set-up is wrong; nothing was started."""


class StateError(BotError):
    """The state folder can't be used."""


class ClaudeError(BotError):
    """Claude could not start, or ended in the middle of its work."""


class DiscordError(BotError):
    """Discord would not let the bot in."""


class DiscordAway(DiscordError):  # noqa: N818 - what happened, as in the rest of the tree
    """Discord did not answer: nothing is wrong with the set-up, and a supervisor may try again."""

    status = 1


class NotDone(BotError):  # noqa: N818 - what happened, as in the rest of the tree
    """What was asked for was tried, and did not work out."""

    status = 1


class NotRunning(BotError):  # noqa: N818 - the same
    """There is no bot to talk to."""

    status = 3


class ConnectionLost(NotRunning):
    """The bot went away in the middle of its answer."""
