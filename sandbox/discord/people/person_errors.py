"""The error for what a person cannot do in Discord."""


class PersonCannotError(Exception):
    """There is no such button, or it is disabled, or Discord refuses; the message says which."""
