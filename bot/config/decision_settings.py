"""How requests are decided: by whom, and what happens when nobody is there."""

import re
from datetime import time
from typing import Annotated

from pydantic import AfterValidator, NonNegativeFloat

from bot.config.values import Section

REMIND_MINUTES = 5.0
_QUIET = re.compile(r"([01]?\d|2[0-3]):([0-5]\d) ?[-–] ?([01]?\d|2[0-3]):([0-5]\d)")


def _hours(text: str) -> str:
    if text and not _QUIET.fullmatch(text):
        raise ValueError(f'{text!r} are not hours; write them as "22:00-07:00"')
    return text


class ApprovalSettings(Section):
    """What is None is left to the layer below."""

    second_person: bool | None = None
    """A request with a warning is allowed by somebody else than the one who prompted it."""
    timeout_minutes: NonNegativeFloat | None = None
    """After this, Claude is told that nobody was there; 0 is never."""
    remind_minutes: NonNegativeFloat | None = None
    """After this, those who may decide are mentioned, and then ever more rarely; 0 is never."""
    quiet_hours: Annotated[str, AfterValidator(_hours)] | None = None
    """When nobody is reminded, by this machine's clock: "22:00-07:00"; empty is never."""

    def over(self, below: "ApprovalSettings") -> "ApprovalSettings":
        """Lay these over others: what is said here wins."""
        return below.model_copy(update=self.model_dump(exclude_none=True))

    @property
    def remind_after(self) -> float:
        """Seconds to the first reminder; 0 where there is none."""
        return (REMIND_MINUTES if self.remind_minutes is None else self.remind_minutes) * 60

    @property
    def timeout(self) -> float:
        """Seconds to the time-out; 0 where there is none."""
        return (self.timeout_minutes or 0) * 60

    @property
    def quiet(self) -> tuple[time, time] | None:
        found = _QUIET.fullmatch(self.quiet_hours or "")
        return (time(int(found[1]), int(found[2])), time(int(found[3]), int(found[4]))) if found else None
