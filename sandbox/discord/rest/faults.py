"""Faults that a test can cause in the REST API: errors, delays and dropped connections."""

import asyncio
import fnmatch
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field


@dataclass(frozen=True)
class ErrorAnswer:
    """Respond with this status; with `after`, carry out the request first."""

    status: int = 500
    retry_after: float | None = None
    after: bool = False


@dataclass(frozen=True)
class DroppedConnection:
    """Close the connection without a response; with `after`, carry out the request first."""

    after: bool = False


@dataclass(frozen=True)
class SlowAnswer:
    """Respond this many seconds later."""

    seconds: float


@dataclass(frozen=True)
class HeldAnswer:
    """Respond when the event is set."""

    released: asyncio.Event


AnswerFault = ErrorAnswer | DroppedConnection | SlowAnswer | HeldAnswer


@dataclass
class _Planned:
    fault: AnswerFault
    path: str
    method: str
    times: int


@dataclass
class AnswerFaults:
    """The faults planned for the next requests that match their path templates."""

    _planned: list[_Planned] = field(default_factory=list)

    def plan(self, fault: AnswerFault, path: str = "*", *, method: str = "*", times: int = 1) -> None:
        """Cause a fault in the next requests; `path` is a template, or a pattern with `*`."""
        self._planned.append(_Planned(fault, path, method, times))

    @contextmanager
    def held(self, path: str = "*", *, method: str = "*") -> Iterator[asyncio.Event]:
        """Hold matching requests until the event is set or the block ends."""
        hold = HeldAnswer(asyncio.Event())
        planned = _Planned(hold, path, method, 1 << 30)
        self._planned.append(planned)
        try:
            yield hold.released
        finally:
            hold.released.set()
            self._planned.remove(planned)

    def clear(self) -> None:
        self._planned.clear()

    def next_for(self, method: str, template: str) -> AnswerFault | None:
        for planned in self._planned:
            fits = planned.path == template or fnmatch.fnmatchcase(template, planned.path.replace("[", "[[]"))
            if planned.times > 0 and fits and planned.method in {"*", method}:
                planned.times -= 1
                return planned.fault
        return None
