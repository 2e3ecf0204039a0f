"""Starts `claude` before a prompt is sent: while someone is typing, or when the bot starts."""

from collections.abc import Iterable
from enum import Enum

from bot.conversation_status import Status

WHILE_TYPING = 90.0
"""Seconds that a process waits for its first prompt if it was started because someone was typing."""
MAX_WARM = 3
"""Most processes that run because someone is typing: each takes 200 MB, and the message may never come."""


class WarmUpReason(Enum):
    """Why a process is started before there is a prompt for it."""

    TYPING = "typing"
    STARTUP = "startup"


def longest_wait(reason: WarmUpReason | None, idle: float) -> float:
    """Return how many seconds a process may wait for its first prompt before it is ended."""
    return min(WHILE_TYPING, idle) if reason is WarmUpReason.TYPING else idle


def may_warm_up(conversations: Iterable[Status]) -> bool:
    """Check whether one more process may be started because someone is typing."""
    return sum(conversation.warming for conversation in conversations) < MAX_WARM
