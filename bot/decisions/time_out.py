"""The optional time-out of requests: Claude is told that nobody answered."""

from bot.config import ApprovalSettings
from bot.decisions.desk import Desk
from shared.protocol import Deny

NOBODY_ANSWERED = (
    "Nobody answered this in time. That is not a refusal: nobody has looked at it. "
    "Continue with work that needs no answer, or stop and say what you are waiting for."
)


def timeout_at(opened_at: float, decisions: ApprovalSettings) -> float | None:
    """Return when a request times out; None if it never does."""
    return opened_at + decisions.timeout if decisions.timeout else None


def time_out(ticket: str, desk: Desk) -> None:
    """Deny a request that nobody answered in time."""
    desk.decide(ticket, Deny(message=NOBODY_ANSWERED), None, via="time-out")
