"""The results of a benchmark: figures with their floors and targets, and curves of growth."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from statistics import median, quantiles


@dataclass(frozen=True, slots=True)
class Figure:
    """One line of the table."""

    what: str
    measured: float
    unit: str
    floor: float | None
    """What the same work costs without our code, in the same run and unit."""
    beside: str
    """The name of the floor."""
    judged: float
    """The number that is compared with the target, often measured / floor."""
    judged_unit: str
    most: float | None = None
    least: float | None = None
    note: str = ""

    @property
    def reached(self) -> bool:
        return (self.most is None or self.judged <= self.most) and (self.least is None or self.judged >= self.least)

    @property
    def target(self) -> str:
        bounds = [f"≥ {self.least:g}"] if self.least is not None else []
        bounds += [f"≤ {self.most:g}"] if self.most is not None else []
        return f"{' and '.join(bounds)} {self.judged_unit}".strip() if bounds else ""


def beside(what: str, measured: float, floor: float, unit: str, about: str, *, most: float, note: str = "") -> Figure:
    """Return a figure that is judged by its ratio to its floor."""
    return Figure(what, measured, unit, floor, about, measured / floor, "×", most=most, note=note)


@dataclass(frozen=True, slots=True)
class Curve:
    """Measurements that show how something grows."""

    name: str
    title: str
    across: str
    up: str
    series: dict[str, list[tuple[float, float]]]


@dataclass(frozen=True, slots=True)
class Outcome:
    figures: tuple[Figure, ...]
    curves: tuple[Curve, ...] = ()
    samples: dict[str, list[float]] = field(default_factory=dict)
    """All measurements, for a closer look."""


@dataclass(frozen=True, slots=True)
class Size:
    """How much work a benchmark does: all of it, or just enough to tell a regression of 2 × from noise."""

    small: bool = False

    def of(self, full: int, small: int) -> int:
        return small if self.small else full


FULL = Size()
SMALL = Size(small=True)


class Missing(Exception):  # noqa: N818 - a reason to skip a benchmark, not a failure
    """The machine lacks something that a benchmark needs."""


def p50(samples: Sequence[float]) -> float:
    return median(samples)


def p99(samples: Sequence[float]) -> float:
    return quantiles(samples, n=100, method="inclusive")[98] if len(samples) > 1 else samples[0]
