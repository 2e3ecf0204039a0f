"""Keeps text around right-to-left letters in its logical order."""

import re
import unicodedata
from collections.abc import Iterable

MARK = "\u200e"
"""An invisible left-to-right letter. In text that we did not write, it is shown by name."""
_ISOLATED, _END = "\u2068", "\u2069"
_LETTERS = frozenset({"R", "AL"})


def right_to_left(characters: Iterable[str]) -> set[str]:
    """Return the characters that are displayed from right to left, or that affect their neighbours in this way."""
    return {one for one in characters if unicodedata.bidirectional(one) in ("R", "AL", "AN")}


def left_to_right(text: str) -> str:
    """Keep the words in the order in which a program reads them, from left to right.

    Each word is still displayed from right to left. Characters between two such words (a blank, a quote, a slash, a
    digit) would otherwise be displayed from right to left too, and the words would swap places: UAX #9, N1 and W2.
    """
    if text.isascii() or not (found := right_to_left(set(text))):
        return text
    letters = "".join(one for one in found if unicodedata.bidirectional(one) in _LETTERS)
    marks = "".join(one for one in set(text) if unicodedata.bidirectional(one) == "NSM")
    digits = "".join(found - set(letters))
    words = [f"[{re.escape(some)}][{re.escape(some + marks)}]*" for some in (letters, digits) if some]
    text = re.sub("|".join(words), rf"\g<0>{MARK}", text)
    if letters:  # a line that begins with one would otherwise be displayed from right to left as a whole
        first = f"^([^A-Za-z\n{re.escape(letters)}]*)(?=[{re.escape(letters)}])"
        text = re.sub(first, rf"\1{MARK}", text, flags=re.MULTILINE)
    return text


def isolate(prose: str) -> str:
    """Isolate prose with right-to-left letters, so that it does not change the order of the text around it."""
    return f"{_ISOLATED}{prose}{_END}" if not prose.isascii() and right_to_left(set(prose)) else prose
