"""Replaces characters that a reader would not see by their names: `⟨U+202E⟩`, `⟨ESC⟩`, `⟨10,000 spaces⟩`."""

import re
import unicodedata
from collections.abc import Callable, Iterable
from functools import lru_cache

OPEN, CLOSE = "⟨", "⟩"
"""Mark what we insert in other people's text. The same brackets in their text are escaped, so ours can't be forged."""
MAX_SPACES = 32  # consecutive spaces; a phone shows about 40 characters per line
MAX_LINE_BREAKS = 4
MAX_READ = 10_000
"""Characters read at the start and the end of a text: more than a message ever shows."""
MAX_MARKS = 2  # combining marks on one letter; more would cover the lines around it

_NAMES = {
    "\0": "NUL",
    "\a": "BEL",
    "\b": "BS",
    "\v": "VT",
    "\f": "FF",
    "\r": "CR",
    "\x1b": "ESC",
    "\x7f": "DEL",
}
_HIDDEN_CATEGORIES = frozenset({"Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp", "Zs"})
_ORDINARY = frozenset(" \t\n")
_BLANK_LETTERS = frozenset(  # invisible, although their category is letter, mark or symbol
    "\u115f\u1160\u3164\uffa0\u2800\u034f\u17b4\u17b5\U0001d159\u180b\u180c\u180d\u180f\U00016fe4"
    + "".join(map(chr, range(0xFE00, 0xFE10)))
    + "".join(map(chr, range(0xE0100, 0xE01F0)))
)
PROSE = frozenset("\u200c\u200d\ufe0f\u00a0\u202f\u00ad")
"""Invisible characters that are common in prose: in emoji, French and Persian."""
BLANKS = " \t\n"
_RUN_OF_BLANKS = re.compile(r"[ \t\n]{5,}")
_AFTER_BACKSLASH = re.compile(r"(?<=\\)[ \t]+$", re.MULTILINE)  # looks like a line continuation, but is not
_PRINTABLE = bytes([*range(0x20, 0x7F), *b"\t\n"])


def not_ascii(text: str) -> frozenset[str]:
    """Return the characters that are not printable ASCII. Fast even for a long text."""
    return _not_ascii(text) if len(text) <= MAX_READ else _not_ascii_in_long(text)


@lru_cache(maxsize=8)  # called each time a card is drawn
def _not_ascii_in_long(text: str) -> frozenset[str]:
    pieces = (text[start : start + MAX_READ] for start in range(0, len(text), MAX_READ))
    return frozenset().union(*map(_not_ascii, pieces))  # in pieces, so that other threads can run


def _not_ascii(text: str) -> frozenset[str]:
    rest = text.encode("utf-8", "surrogatepass").translate(None, _PRINTABLE)
    return frozenset(rest.decode("utf-8", "surrogatepass"))


def is_hidden(character: str) -> bool:
    """Check whether a reader would not see this character, or see something else."""
    if character in _ORDINARY:
        return False
    return character in _BLANK_LETTERS or unicodedata.category(character) in _HIDDEN_CATEGORIES


def has_hidden(text: str) -> bool:
    """Check whether the text has hidden characters, so that it can't be shown or edited unchanged."""
    return any(map(is_hidden, not_ascii(text)))


def name(character: str) -> str:
    if character in _NAMES:
        return _NAMES[character]
    return unicodedata.name(character, f"U+{ord(character):04X}").lower()


def show_hidden(text: str, ordinary: Iterable[str] = ()) -> str:
    """Replace every hidden character by its name, except for the `ordinary` ones."""
    kept = frozenset(ordinary)
    found = not_ascii(text)
    strange = {c for c in found if (is_hidden(c) and c not in kept) or c in (OPEN, CLOSE)}
    marks = {c for c in found if unicodedata.category(c).startswith("M")} - strange
    if marks:
        text = _without_loose_marks(text, marks, strange)
    elif strange:
        text = text.translate({ord(c): _escape(c) for c in strange})
    text = _AFTER_BACKSLASH.sub(lambda run: f"{OPEN}{count_blanks(run[0])}{CLOSE}", text)
    return _RUN_OF_BLANKS.sub(_name_blanks, text)


def hidden_note(text: str) -> str:
    """Return a note for a card that lists the hidden characters in a text; empty if there are none."""
    found = sorted(filter(is_hidden, not_ascii(text)))
    return f"Invisible or control characters: {_listed(found, name)}." if found else ""


def not_ascii_note(text: str) -> str:
    """Return a note that lists visible non-ASCII characters in program input: a shell does not read `’` as a quote."""
    found = sorted(c for c in not_ascii(text) if c > "\x7f" and not is_hidden(c))
    return f"Not plain ASCII: {_listed(found, _with_name)}." if found else ""


def _listed(found: list[str], words: Callable[[str], str]) -> str:
    listed = ", ".join(words(character) for character in found[:3])
    return listed + (f" and {len(found) - 3} more" if len(found) > 3 else "")


def _with_name(character: str) -> str:
    loose = unicodedata.category(character).startswith("M")  # would be drawn over its neighbour
    return name(character) if loose else f"`{character}` {name(character)}"


def _escape(character: str) -> str:
    return f"{OPEN}{_NAMES.get(character, f'U+{ord(character):04X}')}{CLOSE}"


def _without_loose_marks(text: str, marks: set[str], strange: set[str]) -> str:
    """Keep marks that are part of Indic, Thai, Arabic… letters, and name those that change other characters."""
    out: list[str] = []
    escaped = {character: _escape(character) for character in marks | strange}
    on_letter = -1  # marks so far on a letter that may have some; -1 if there is no such letter
    for character in text:
        if character in marks:
            kept = 0 <= on_letter < MAX_MARKS
            on_letter += 1 if kept else 0
            out.append(character if kept else escaped[character])
        else:
            on_letter = 0 if unicodedata.category(character) == "Lo" else -1
            out.append(escaped.get(character, character))
    return "".join(out)


def _name_blanks(run: re.Match[str]) -> str:
    blanks = run[0]
    breaks = blanks.count("\n")
    if breaks <= MAX_LINE_BREAKS and max(map(len, blanks.split("\n"))) <= MAX_SPACES:
        return blanks
    indent = blanks.rpartition("\n")[2] if breaks else ""
    if len(indent) > MAX_SPACES:
        indent = ""
    said = f"{OPEN}{count_blanks(blanks[: len(blanks) - len(indent)])}{CLOSE}"
    return f"\n{said}\n{indent}" if breaks else said


def count_blanks(blanks: str) -> str:
    counts = {
        "line break": blanks.count("\n"),
        "space": blanks.count(" "),
        "tab": blanks.count("\t"),
    }
    present = {what: number for what, number in counts.items() if number}
    if not present:
        return "empty"
    if len(present) == 1:
        ((what, number),) = present.items()
        return f"{number:,} {what}{'s' if number > 1 else ''}"
    breaks = counts["line break"]
    rest = len(blanks) - breaks
    return f"{breaks:,} line breaks and {rest:,} spaces or tabs" if breaks else f"{rest:,} spaces or tabs"
