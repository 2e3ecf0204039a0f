"""The error for an action that a person can't do in Discord."""


class PersonCannotError(Exception):
    """The button does not exist or is disabled, or Discord refuses; the message says which."""
