"""What a shell makes of a word before a program gets it: fields, braces, and the operators of `${…}`."""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from fnmatch import fnmatchcase
from itertools import pairwise

from bot.risk.shell_parser import Stream, Word

MOST_TEXT = 50_000
"""Characters of one word; longer ones are not followed."""
MOST_CUT = 500
"""Characters that a pattern is tried on: trying each place takes a square of time."""
MOST_OPENED = 32
MOST_BRACES = 6
"""Pairs of braces in one word that are opened."""
OPEN, COMMA, CLOSE = "\ue0f0", "\ue0f1", "\ue0f2"
"""Braces and commas that are not quoted."""
_MARKS = str.maketrans({OPEN: "{", COMMA: ",", CLOSE: "}"})
_BRACES = re.compile(f"{OPEN}([^{OPEN}{CLOSE}]*){CLOSE}")
_RANGE = re.compile(r"(-?\d{1,4})\.\.(-?\d{1,4})|([A-Za-z])\.\.([A-Za-z])")


@dataclass(frozen=True, slots=True)
class Piece:
    """A part of a word."""

    text: str
    known: bool = True
    splits: bool = False
    """Whether blanks in it end a word: `$X` outside of quotes."""
    source: Stream | None = None


def marked(text: str) -> str:
    """Mark the braces in a text that is not quoted."""
    if "{" in text or "," in text or "}" in text:
        return text.replace("{", OPEN).replace(",", COMMA).replace("}", CLOSE)
    return text


def fields(pieces: Iterable[Piece], separators: str | None = None) -> list[Word]:
    """Put the pieces of a word together: none, one or several words."""
    groups: list[list[Piece]] = [[]]
    for piece in pieces:
        if not piece.splits:
            groups[-1].append(piece)
            continue
        text = piece.text.translate(dict.fromkeys(map(ord, separators), " ")) if separators else piece.text
        parts = text.split() if piece.known else [piece.text]
        if piece.text[:1].isspace() and groups[-1]:
            groups.append([])
        for number, part in enumerate(parts):
            if number:
                groups.append([])
            groups[-1].append(Piece(part, piece.known, source=piece.source))
        if parts and piece.text[-1:].isspace():
            groups.append([])
    return [word for group in groups if group for word in unbraced(joined(group))]


def joined(pieces: Iterable[Piece]) -> Word:
    all_of = tuple(pieces)
    text = "".join(piece.text for piece in all_of)
    sources = [piece.source for piece in all_of if piece.source]
    source = next((one for one in sources if one.downloaded), sources[0] if sources else None)
    return Word(text[:MOST_TEXT], all(piece.known for piece in all_of) and len(text) <= MOST_TEXT, source)


def unmarked(word: Word) -> Word:
    return Word(word.text.translate(_MARKS), word.known, word.source)


def unbraced(word: Word) -> Iterator[Word]:
    """Open the braces: `.{env,x}` is `.env` and `.x` to a shell."""
    opened = [word.text]
    complete = True
    for _ in range(MOST_BRACES):
        if not any(map(_BRACES.search, opened)):
            break
        following = [text for one in opened for text in _open(one)]
        complete = complete and len(following) <= MOST_OPENED
        opened = following[:MOST_OPENED]
    else:
        complete = False
    yield from (Word(text.translate(_MARKS), word.known and complete, word.source) for text in opened)


def _open(text: str) -> Iterator[str]:
    found = _BRACES.search(text)
    if found is None:
        yield text
        return
    before, after = text[: found.start()], text[found.end() :]
    inner = found[1].split(COMMA)
    if len(inner) == 1 and (span := _RANGE.fullmatch(found[1])):
        ends = [int(end) for end in span.groups()[:2]] if span[1] else [ord(end) for end in span.groups()[2:]]
        several = range(min(ends), min(max(ends), min(ends) + MOST_OPENED) + 1)
        inner = [str(one) if span[1] else chr(one) for one in several]
    if len(inner) == 1:  # `{}` and `{x}` are no braces to a shell
        yield f"{before}{{{found[1]}}}{after}"
        return
    yield from (before + one + after for one in inner)


def operated(value: str, operator: str, operands: list[str]) -> str | None:  # noqa: C901, PLR0911 - one an operator
    """Apply the operator of a `${…}` to a value; None: it is not followed."""
    first = operands[0] if operands else ""
    if operator in ("#", "##", "%", "%%", "/", "//", "/#", "/%") and len(value) > MOST_CUT:
        return None
    match operator:
        case "":
            return value
        case ":":
            numbers = [int(one) if re.fullmatch(r"\s*-?\d{1,6}", one) else None for one in operands[:2]]
            if not numbers or None in numbers:
                return None
            start, length = numbers[0] or 0, numbers[1] if len(numbers) > 1 else None
            tail = value[start:]
            return tail if length is None else tail[:length]
        case "^^" | ",,":
            return value.upper() if operator == "^^" else value.lower()
        case "^" | ",":
            return (value[:1].upper() if operator == "^" else value[:1].lower()) + value[1:]
        case "#" | "##":
            ends = range(len(value) + 1) if operator == "#" else range(len(value), -1, -1)
            return next((value[end:] for end in ends if fnmatchcase(value[:end], first)), value)
        case "%" | "%%":
            starts = range(len(value), -1, -1) if operator == "%" else range(len(value) + 1)
            return next((value[:start] for start in starts if fnmatchcase(value[start:], first)), value)
        case "/" | "//" | "/#" | "/%":
            other = operands[1] if len(operands) > 1 else ""
            if set(first) & set("*?[") or not first:
                return None
            return value.replace(first, other) if operator == "//" else value.replace(first, other, 1)
    return None


def ranges(characters: str) -> str:
    """Write out `a-z`, as `tr` does."""
    out: list[str] = []
    for before, character, after in _around(characters):
        if character == "-" and before and after and ord(before) <= ord(after) <= ord(before) + 300:
            out += map(chr, range(ord(before) + 1, ord(after)))
        else:
            out.append(character)
    return "".join(out)


def _around(text: str) -> Iterator[tuple[str, str, str]]:
    padded = ["", *text, ""]
    for (before, character), (_, after) in pairwise(pairwise(padded)):
        yield before, character, after
