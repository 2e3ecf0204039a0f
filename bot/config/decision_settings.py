"""The settings in `[decisions]`: who decides, and what happens if nobody answers."""

import re
from datetime import time
from typing import Annotated

from pydantic import AfterValidator, NonNegativeFloat

from bot.config.values import Section

REMIND_MINUTES = 5.0
_QUIET = re.compile(r"([01]?\d|2[0-3]):([0-5]\d) ?[-–] ?([01]?\d|2[0-3]):([0-5]\d)")


def _hours(text: str) -> str:
    if text and not _QUIET.fullmatch(text):
        raise ValueError(f'{text!r} is not a period; write it as "22:00-07:00"')
    return text


class ApprovalSettings(Section):
    """How requests are decided; a value of None leaves it to the layer below."""

    second_person: bool | None = None
    """A request with a warning needs approval from someone other than its author."""
    timeout_minutes: NonNegativeFloat | None = None
    """After this, Claude is told that nobody answered; 0 means never."""
    remind_minutes: NonNegativeFloat | None = None
    """After this, those who may decide are mentioned, then less and less often; 0 means never."""
    quiet_hours: Annotated[str, AfterValidator(_hours)] | None = None
    """No reminders during these hours of this machine's clock: "22:00-07:00"; empty for none."""

    def over(self, below: "ApprovalSettings") -> "ApprovalSettings":
        """Return these settings, with missing values taken from `below`."""
        return below.model_copy(update=self.model_dump(exclude_none=True))

    @property
    def remind_after(self) -> float:
        """Seconds to the first reminder; 0 means never."""
        return (REMIND_MINUTES if self.remind_minutes is None else self.remind_minutes) * 60

    @property
    def timeout(self) -> float:
        """Seconds to the time-out; 0 means never."""
        return (self.timeout_minutes or 0) * 60

    @property
    def quiet(self) -> tuple[time, time] | None:
        found = _QUIET.fullmatch(self.quiet_hours or "")
        return (time(int(found[1]), int(found[2])), time(int(found[3]), int(found[4]))) if found else None
