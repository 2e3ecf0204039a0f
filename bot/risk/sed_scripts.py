"""Finds the commands that a sed script runs and the files that it reads and writes."""

import re
from dataclasses import dataclass

_ADDRESS = re.compile(r"(?:/(?:\\.|[^/\\])*+/|[0-9$,~+!\s;{}IM])*+")
_FLAGS = re.compile(r"[gpiImMe0-9]*")
_REST = re.compile(r"[^\n;}]*")
_LINE = re.compile(r"[^\n]*")


@dataclass(frozen=True, slots=True)
class SedScript:
    runs: tuple[str, ...] = ()
    """The commands after `e`; of the flag `e` it is only known that it is there."""
    writes: tuple[str, ...] = ()
    reads: tuple[str, ...] = ()
    understood: bool = True


def read(script: str) -> SedScript:
    """Parse a script in one pass from left to right."""
    runs: list[str] = []
    writes: list[str] = []
    reads: list[str] = []
    place = 0
    while (place := _end(_ADDRESS, script, place)) < len(script):
        letter = script[place]
        place += 1
        if letter in "sy" and place < len(script):
            for _ in range(2):
                place = _next_delimiter(script, place, script[place] if place < len(script) else "")
            # `place` is on the last delimiter
            end = _end(_FLAGS, script, place + 1)
            runs += ["the flag e"] if "e" in script[place + 1 : end] else []
            place = end
            if script[place : place + 1] == "w":
                end = _end(_LINE, script, place)
                writes.append(script[place + 1 : end].strip())
                place = end
        elif letter in "ewWrR":
            end = _end(_LINE, script, place)
            {"e": runs, "r": reads, "R": reads}.get(letter, writes).append(script[place:end].strip())
            place = end
        elif letter in "aic#":
            place = _end(_LINE, script, place)
        elif letter in "btT:vqQlL":
            place = _end(_REST, script, place)
        elif letter not in "=dDgGhHnNpPxzF":
            return SedScript(tuple(runs), tuple(writes), tuple(reads), understood=False)
    return SedScript(tuple(runs), tuple(writes), tuple(reads))


def _end(pattern: re.Pattern[str], script: str, place: int) -> int:
    found = pattern.match(script, place)
    return found.end() if found else place


def _next_delimiter(script: str, place: int, delimiter: str) -> int:
    """Return the place of the next delimiter of `s/…/…/`."""
    place += 1
    while place < len(script) and script[place] != delimiter:
        place += 2 if script[place] == "\\" else 1
    return place
