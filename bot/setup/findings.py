"""What a check finds: it is well, or this is the cure."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Ok:
    says: str


@dataclass(frozen=True, slots=True)
class Problem:
    says: str
    cure: str


@dataclass(frozen=True, slots=True)
class Finding:
    """One line of the doctor's."""

    about: str
    state: Ok | Problem
