"""The result of a check: ok, or a problem and its fix."""

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
    """A result of `claude-discord doctor`."""

    about: str
    state: Ok | Problem
