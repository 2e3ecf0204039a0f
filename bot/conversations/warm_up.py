"""Starts `claude` before a prompt is sent: while someone is typing, or when the bot starts."""

from enum import Enum

WHILE_TYPING = 90.0
"""Seconds that a process waits for its first prompt if it was started because someone was typing."""


class WarmUpReason(Enum):
    """Why a process is started before there is a prompt for it."""

    TYPING = "typing"
    STARTUP = "startup"


def longest_wait(reason: WarmUpReason | None, idle: float) -> float:
    """Return how many seconds a process may wait for its first prompt before it is ended."""
    return min(WHILE_TYPING, idle) if reason is WarmUpReason.TYPING else idle
