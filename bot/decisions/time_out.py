"""The time-out, where a project wants one: Claude is told that nobody answered."""

from bot.config import ApprovalSettings
from bot.decisions.desk import Desk
from shared.protocol import Deny

NOBODY = (
    "Nobody answered this in time. That is not a refusal: nobody has looked at it. "
    "Continue with what needs no answer, or stop and say what you are waiting for."
)


def timed_out_at(opened_at: float, decisions: ApprovalSettings) -> float | None:
    """Say when a request is no longer waited for; None where that never happens."""
    return opened_at + decisions.timeout if decisions.timeout else None


def time_out(ticket: str, desk: Desk) -> None:
    """Deny a request that nobody answered in time."""
    desk.decide(ticket, Deny(message=NOBODY), None, via="time-out")
