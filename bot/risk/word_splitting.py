"""Splits a word into the arguments that a program gets: at blanks and at braces."""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from bot.risk.shell_types import PipeStream, Word

MAX_TEXT = 50_000
"""Maximum length of a word; longer ones are not followed."""
MAX_EXPANDED = 32
MAX_BRACES = 6
"""Number of pairs of braces in a word that are expanded."""
OPEN, COMMA, CLOSE = "\ue0f0", "\ue0f1", "\ue0f2"
"""Stand for unquoted braces and commas."""
_MARKS = str.maketrans({OPEN: "{", COMMA: ",", CLOSE: "}"})
_BRACES = re.compile(f"{OPEN}([^{OPEN}{CLOSE}]*){CLOSE}")
_RANGE = re.compile(r"(-?\d{1,4})\.\.(-?\d{1,4})|([A-Za-z])\.\.([A-Za-z])")


@dataclass(frozen=True, slots=True)
class WordPiece:
    """A part of a word."""

    text: str
    known: bool = True
    splits: bool = False
    """Whether blanks in it end a word: `$X` outside quotes."""
    source: PipeStream | None = None


def marked(text: str) -> str:
    """Mark the braces in an unquoted text."""
    if "{" in text or "," in text or "}" in text:
        return text.replace("{", OPEN).replace(",", COMMA).replace("}", CLOSE)
    return text


def fields(pieces: Iterable[WordPiece], separators: str | None = None) -> list[Word]:
    """Join the pieces of a word and split them into words, none or several."""
    groups: list[list[WordPiece]] = [[]]
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
            groups[-1].append(WordPiece(part, piece.known, source=piece.source))
        if parts and piece.text[-1:].isspace():
            groups.append([])
    return [word for group in groups if group for word in expand_braces(joined(group))]


def joined(pieces: Iterable[WordPiece]) -> Word:
    all_of = tuple(pieces)
    text = "".join(piece.text for piece in all_of)
    sources = [piece.source for piece in all_of if piece.source]
    source = next((one for one in sources if one.downloaded), sources[0] if sources else None)
    return Word(text[:MAX_TEXT], all(piece.known for piece in all_of) and len(text) <= MAX_TEXT, source)


def unmarked(word: Word) -> Word:
    return Word(word.text.translate(_MARKS), word.known, word.source)


def expand_braces(word: Word) -> Iterator[Word]:
    """Expand the braces: `.{env,x}` means `.env` and `.x` in a shell."""
    opened = [word.text]
    complete = True
    for _ in range(MAX_BRACES):
        if not any(map(_BRACES.search, opened)):
            break
        following = [text for one in opened for text in _open(one)]
        complete = complete and len(following) <= MAX_EXPANDED
        opened = following[:MAX_EXPANDED]
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
        several = range(min(ends), min(max(ends), min(ends) + MAX_EXPANDED) + 1)
        inner = [str(one) if span[1] else chr(one) for one in several]
    if len(inner) == 1:  # a shell does not expand `{}` and `{x}`
        yield f"{before}{{{found[1]}}}{after}"
        return
    yield from (before + one + after for one in inner)
