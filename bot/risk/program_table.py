"""The table of known programs, one row each in `programs.toml`."""

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from importlib import resources
from typing import Any

from bot.risk.warning_kinds import WarningKind

HARMLESS = ("--help",)


@dataclass(frozen=True, slots=True)
class CallPattern:
    """A pattern of verbs and options: `volume rm|prune !--dry-run`; `programs.toml` explains the syntax."""

    verbs: tuple[str, ...]
    options: tuple[str, ...]
    absent: tuple[str, ...]
    circumstances: tuple[str, ...]
    """Other conditions: `<fed>`, `!<local>`."""

    @classmethod
    def read(cls, text: str) -> "CallPattern":
        tokens = text.split()
        options = tuple(token for token in tokens if token.startswith("-"))
        absent = tuple(token[1:] for token in tokens if token.startswith("!-"))
        circumstances = tuple(token for token in tokens if token.startswith(("!<", "<fed", "<production")))
        others = {*options, *circumstances, *(f"!{token}" for token in absent)}
        return cls(tuple(token for token in tokens if token not in others), options, absent, circumstances)


@dataclass(frozen=True, slots=True)
class ProgramRow:
    """What the table says about a program; `programs.toml` explains each key."""

    values: frozenset[str] = frozenset()
    whole: bool = False
    abbreviates: bool = False
    paths: str = "write"
    skip: int = 0
    texts: frozenset[str] = frozenset()
    reads: frozenset[str] = frozenset()
    writes: frozenset[str] = frozenset()
    scripts: frozenset[str] = frozenset()
    sql: frozenset[str] = frozenset()
    code: frozenset[str] = frozenset()
    calls: tuple[CallPattern, ...] = ()
    joins: bool = False
    reading: tuple[CallPattern, ...] = ()
    fine: tuple[CallPattern, ...] = ()
    evals: tuple[CallPattern, ...] = ()
    evaluates: tuple[CallPattern, ...] = ()
    warns: tuple[tuple[WarningKind, CallPattern], ...] = ()
    feeds: tuple[CallPattern, ...] = ()
    fetches: bool = False
    network: bool = False
    keys: tuple[str, ...] = ()
    bare: tuple[CallPattern, ...] = ()
    bundled: bool = False
    leads: bool = False
    leading: bool = False
    away: bool = False
    language: str = ""
    checks: frozenset[str] = frozenset()


def row(program: str) -> ProgramRow:
    """Return the row of a program; an empty one if it has none."""
    return rows().get(program, _NONE)


@cache
def rows() -> Mapping[str, ProgramRow]:
    """Return the table; cached."""
    text = resources.files("bot.risk").joinpath("programs.toml").read_text("utf-8")
    made: dict[str, ProgramRow] = {}
    for names, cells in tomllib.loads(text).items():
        one = _row(cells)
        made |= dict.fromkeys(names.split(), one)
    return made


@cache
def callers() -> frozenset[str]:
    """Return the programs that run the command after their own options: `sudo`, `timeout 5`."""
    return frozenset(name for name, one in rows().items() if any(set(pattern.verbs) <= {"_"} for pattern in one.calls))


def _row(cells: dict[str, Any]) -> ProgramRow:
    kinds = {kind.name.casefold(): kind for kind in WarningKind}
    warns = tuple((kinds[key], CallPattern.read(text)) for key, cell in cells.items() if key in kinds for text in cell)
    made: dict[str, Any] = {}
    for key, cell in cells.items():
        if key in kinds:
            continue
        match cell:
            case str() if key == "keys":
                made[key] = tuple(cell.split())
            case str() if key not in ("paths", "language"):
                made[key] = frozenset(cell.split())
            case list():
                made[key] = tuple(map(CallPattern.read, cell))
            case _:
                made[key] = cell
    options = (made.get(key, frozenset()) for key in ("values", "texts", "reads", "writes", "scripts", "sql", "code"))
    made["values"] = frozenset().union(*options)
    made.setdefault("fine", tuple(map(CallPattern.read, HARMLESS)))
    return ProgramRow(**made, warns=warns)


_NONE = ProgramRow(fine=tuple(map(CallPattern.read, HARMLESS)))
