"""Right-to-left letters kept in their places: nothing around them may change sides."""

import re
import unicodedata
from collections.abc import Iterable

MARK = "\u200e"
"""An invisible left-to-right letter. Those in somebody else's text are shown by name."""
_ISOLATED, _END = "\u2068", "\u2069"
_LETTERS = frozenset({"R", "AL"})


def right_to_left(characters: Iterable[str]) -> set[str]:
    """Return the characters that a renderer sets from right to left, or whose neighbours it does."""
    return {one for one in characters if unicodedata.bidirectional(one) in ("R", "AL", "AN")}


def left_to_right(text: str) -> str:
    """Keep the words in the order in which a program reads them: from left to right.

    A word itself is still written from right to left. What is between two of them (a blank, a quote, a slash, a
    digit) would otherwise be set from right to left as well, and the words change places: UAX #9, N1 and W2.
    """
    if text.isascii() or not (found := right_to_left(set(text))):
        return text
    letters = "".join(one for one in found if unicodedata.bidirectional(one) in _LETTERS)
    marks = "".join(one for one in set(text) if unicodedata.bidirectional(one) == "NSM")
    digits = "".join(found - set(letters))
    words = [f"[{re.escape(some)}][{re.escape(some + marks)}]*" for some in (letters, digits) if some]
    text = re.sub("|".join(words), rf"\g<0>{MARK}", text)
    if letters:  # a line that begins with one would else be written from right to left as a whole
        first = f"^([^A-Za-z\n{re.escape(letters)}]*)(?=[{re.escape(letters)}])"
        text = re.sub(first, rf"\1{MARK}", text, flags=re.MULTILINE)
    return text


def isolated(prose: str) -> str:
    """Let prose with such letters run as its writer meant it, without changing the order of what is beside it."""
    return f"{_ISOLATED}{prose}{_END}" if not prose.isascii() and right_to_left(set(prose)) else prose
