"""What can go wrong, each as a sentence for the person at the keyboard, with its cure."""


class BotError(Exception):
    """The root: its text is shown to a person as it stands."""


class ConfigError(BotError):
    """The set-up is wrong; nothing was started."""


class StateError(BotError):
    """The state folder can't be used."""


class ClaudeError(BotError):
    """Claude could not start, or ended in the middle of its work."""


class DiscordError(BotError):
    """Discord would not let the bot in."""
