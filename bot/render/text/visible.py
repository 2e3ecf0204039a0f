"""Text that shows what it is: nothing in it can hide, reorder itself or leave its box."""

import re
import unicodedata
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import lru_cache

from bot.masking import mask
from bot.render.text.bidi import MARK, in_order, isolated

OPEN, CLOSE = "⟨", "⟩"
"""Around what we say inside somebody else's text. A bracket of theirs is itself escaped, so ours can't be forged."""
LONGEST_RUN = 32  # spaces in a row; a phone shows about 40 characters in a line
MOST_LINE_BREAKS = 4
MOST_LINES = 80  # in one block: more is scrolling, not reading
MOST_READ = 10_000
"""Characters that are looked at of a text's beginning, and of its end: more than a message takes of any text."""
MOST_MARKS = 2  # combining marks on one letter; more is drawn over the lines around it

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
_BLANK_LETTERS = frozenset(  # drawn as nothing, though their category says letter, mark or symbol
    "\u115f\u1160\u3164\uffa0\u2800\u034f\u17b4\u17b5\U0001d159\u180b\u180c\u180d\u180f\U00016fe4"
    + "".join(map(chr, range(0xFE00, 0xFE10)))
    + "".join(map(chr, range(0xE0100, 0xE01F0)))
)
PROSE = frozenset("\u200c\u200d\ufe0f\u00a0\u202f\u00ad")
"""Characters that prose may well have, though they can't be seen: emoji, French, Persian."""
_BLANK = " \t\n"
_BLANKS = re.compile(r"[ \t\n]{5,}")
_AFTER_BACKSLASH = re.compile(r"(?<=\\)[ \t]+$", re.MULTILINE)  # looks like a continued line, and is not
_FENCE = re.compile(r"`{3,}")
_LITERAL = re.compile(r"(`[^`\n]+`|https?://[A-Za-z0-9/._~%?=&#+-]+)")  # code and links keep their characters
_MARKDOWN = re.compile(r"([\\*_~|`<>\[\]()@])|^([^\S\n]*)([-+#])", re.MULTILINE)
_PRINTABLE = bytes([*range(0x20, 0x7F), *b"\t\n"])


@dataclass(frozen=True, slots=True)
class Shown:
    """A text in its code block."""

    markdown: str
    complete: bool
    """False: the whole text has to be attached."""


def size(text: str) -> int:
    """Count as Discord's clients do, in UTF-16 units: never less than its servers count."""
    return len(text) if text.isascii() else len(text.encode("utf-16-le", "surrogatepass")) // 2


def clip(text: str, limit: int) -> str:
    """Shorten to `limit`, with an ellipsis that says so."""
    return text if size(text) <= limit else _head(text, limit - 1) + "…"


def unusual(text: str) -> frozenset[str]:
    """Pick the characters that are no printable ASCII; however long the text is, this is quick."""
    return _unusual(text) if len(text) <= MOST_READ else _unusual_in_long(text)


@lru_cache(maxsize=8)  # asked for each time that a card is drawn
def _unusual_in_long(text: str) -> frozenset[str]:
    pieces = (text[start : start + MOST_READ] for start in range(0, len(text), MOST_READ))
    return frozenset().union(*map(_unusual, pieces))  # piece by piece: others have their turn in between


def _unusual(text: str) -> frozenset[str]:
    rest = text.encode("utf-8", "surrogatepass").translate(None, _PRINTABLE)
    return frozenset(rest.decode("utf-8", "surrogatepass"))


def is_hidden(character: str) -> bool:
    """Whether a reader would not see this character, or see something else."""
    if character in _ORDINARY:
        return False
    return character in _BLANK_LETTERS or unicodedata.category(character) in _HIDDEN_CATEGORIES


def is_plain(text: str) -> bool:
    """Whether the text can be shown, and edited, as it is."""
    return not any(map(is_hidden, unusual(text)))


def name(character: str) -> str:
    if character in _NAMES:
        return _NAMES[character]
    return unicodedata.name(character, f"U+{ord(character):04X}").lower()


def reveal(text: str, ordinary: Iterable[str] = ()) -> str:
    """Replace what can't be seen by what it is: `⟨U+202E⟩`, `⟨ESC⟩`, `⟨10,000 spaces⟩`."""
    kept = frozenset(ordinary)
    found = unusual(text)
    strange = {c for c in found if (is_hidden(c) and c not in kept) or c in (OPEN, CLOSE)}
    marks = {c for c in found if unicodedata.category(c).startswith("M")} - strange
    if marks:
        text = _without_loose_marks(text, marks, strange)
    elif strange:
        text = text.translate({ord(c): _escape(c) for c in strange})
    text = _AFTER_BACKSLASH.sub(lambda run: f"{OPEN}{_count_blanks(run[0])}{CLOSE}", text)
    return _BLANKS.sub(_say_blanks, text)


def block(text: str, language: str, limit: int, attached_as: str) -> Shown:
    """Put a text into a code block of at most `limit` characters: all of it, or its head and its tail."""
    room = limit - size(f"```{language}\n\n```")
    if len(text) > 2 * MOST_READ:
        head, tail = text[:MOST_READ].rstrip(_BLANK), text[-MOST_READ:].lstrip(_BLANK)
        hidden = _Hidden(attached_as, text.count("\n", len(head), -len(tail)), len(text) - len(head) - len(tail))
        return Shown(f"```{language}\n{_head_and_tail(_code(head), _code(tail), room, hidden)}\n```", complete=False)
    shown = _code(text) if text.strip(_BLANK) else f"{OPEN}{_count_blanks(text)}{CLOSE}"
    if size(shown) <= room and shown.count("\n") < MOST_LINES:
        return Shown(f"```{language}\n{shown}\n```", complete=" other blanks" + CLOSE not in shown)
    cut = _head_and_tail(shown, "", room, _Hidden(attached_as))
    return Shown(f"```{language}\n{cut}\n```", complete=False)


def inline(text: str, limit: int = 200) -> str:
    """Put a short text, such as a path, into inline code."""
    lines = map(reveal, _beginning(text).split("\n"))
    shown = f"{OPEN}LF{CLOSE}".join(lines).replace("`", f"{OPEN}U+0060{CLOSE}")
    shown = clip(in_order(shown.replace("\t", f"{OPEN}TAB{CLOSE}")), limit)
    return f"`{shown}`" if shown.strip() else f"`{OPEN}{_count_blanks(text)}{CLOSE}`"


def plain(text: str) -> str:
    """Write prose so that it reads as it was written: only inline code and links keep a meaning in markdown."""
    return _escape_markdown(reveal(mask(text), PROSE))  # escaped, a secret is not known as one


def line(text: str, limit: int) -> str:
    """Write prose in one line of at most about `limit` characters."""
    return isolated(_escape_markdown(clip(one_line(text), limit)))


def one_line(text: str) -> str:
    """Write a text for a label or a menu: one line, nothing hidden, no markdown there to escape."""
    return " ".join(reveal(mask(_beginning(text)), PROSE).split())


def hidden_note(text: str) -> str:
    """Say which characters are in a text that a reader would not see; empty when there are none."""
    found = sorted(filter(is_hidden, unusual(text)))
    return f"Invisible or control characters in it: {_listed(found, name)}." if found else ""


def foreign_note(text: str) -> str:
    """Say which visible characters are not ASCII, for what a program reads: `’` is not a quote to a shell."""
    found = sorted(c for c in unusual(text) if c > "\x7f" and not is_hidden(c))
    return f"Not plain ASCII: {_listed(found, _drawn)}." if found else ""


def _listed(found: list[str], words: Callable[[str], str]) -> str:
    listed = ", ".join(words(character) for character in found[:3])
    return listed + (f" and {len(found) - 3} more" if len(found) > 3 else "")


def _drawn(character: str) -> str:
    loose = unicodedata.category(character).startswith("M")  # would be drawn on top of its neighbour
    return name(character) if loose else f"`{character}` {name(character)}"


def _escape(character: str) -> str:
    return f"{OPEN}{_NAMES.get(character, f'U+{ord(character):04X}')}{CLOSE}"


def _without_loose_marks(text: str, marks: set[str], strange: set[str]) -> str:
    """Keep the marks that make up letters in Indic, Thai, Arabic…; show those that redraw other characters."""
    out: list[str] = []
    escaped = {character: _escape(character) for character in marks | strange}
    on_letter = -1  # marks so far on a letter that may carry some; -1 when there is no such letter
    for character in text:
        if character in marks:
            kept = 0 <= on_letter < MOST_MARKS
            on_letter += 1 if kept else 0
            out.append(character if kept else escaped[character])
        else:
            on_letter = 0 if unicodedata.category(character) == "Lo" else -1
            out.append(escaped.get(character, character))
    return "".join(out)


def _say_blanks(run: re.Match[str]) -> str:
    blanks = run[0]
    breaks = blanks.count("\n")
    if breaks <= MOST_LINE_BREAKS and max(map(len, blanks.split("\n"))) <= LONGEST_RUN:
        return blanks
    indent = blanks.rpartition("\n")[2] if breaks else ""
    if len(indent) > LONGEST_RUN:
        indent = ""
    said = f"{OPEN}{_count_blanks(blanks[: len(blanks) - len(indent)])}{CLOSE}"
    return f"\n{said}\n{indent}" if breaks else said


def _count_blanks(blanks: str) -> str:
    counts = {
        "line break": blanks.count("\n"),
        "space": blanks.count(" "),
        "tab": blanks.count("\t"),
    }
    there = {what: number for what, number in counts.items() if number}
    if not there:
        return "empty"
    if len(there) == 1:
        ((what, number),) = there.items()
        return f"{number:,} {what}{'s' if number > 1 else ''}"
    breaks = counts["line break"]
    rest = len(blanks) - breaks
    return f"{breaks:,} line breaks and {rest:,} other blanks" if breaks else f"{rest:,} other blanks"


def _code(text: str) -> str:
    return in_order(_FENCE.sub(lambda run: f"{OPEN}{len(run[0])} backticks{CLOSE}", reveal(text)))


def _beginning(text: str) -> str:
    """Give as much of a text as can matter in a line."""
    return text if len(text) <= MOST_READ else text[:MOST_READ].rstrip(_BLANK) + "…"


def _escape_markdown(text: str) -> str:
    pieces = _LITERAL.split(text)
    return "".join(in_order(piece) if odd % 2 else _MARKDOWN.sub(_escaped, piece) for odd, piece in enumerate(pieces))


def _escaped(found: re.Match[str]) -> str:
    return f"\\{found[1]}" if found[1] else f"{found[2]}\\{found[3]}"


def _head(text: str, limit: int) -> str:
    """Cut from the front, never inside one of our own tokens."""
    cut = text[: max(limit, 0)]
    while (over := size(cut) - limit) > 0 and cut:
        cut = cut[: -max(1, over // 2)]
    return cut[: cut.rfind(OPEN)] if cut.rfind(OPEN) > cut.rfind(CLOSE) else cut


def _tail(text: str, limit: int) -> str:
    cut = text[len(text) - min(max(limit, 0), len(text)) :]
    while (over := size(cut) - limit) > 0 and cut:
        cut = cut[max(1, over // 2) :]
    opening, closing = cut.find(OPEN), cut.find(CLOSE)
    return cut[closing + 1 :] if closing >= 0 and (opening < 0 or closing < opening) else cut


@dataclass(frozen=True, slots=True)
class _Hidden:
    """What stands between a head and a tail, and where all of it is."""

    attached_as: str
    lines: int = 0
    characters: int = 0

    def and_of(self, *texts: str) -> str:
        lines = self.lines + sum(text.count("\n") for text in texts)
        hidden = f"{lines:,} lines" if lines > 1 else f"{self.characters + sum(map(len, texts)):,} characters"
        return f"{OPEN}… {hidden} hidden: all of it is in {self.attached_as}{CLOSE}"


def _head_and_tail(front: str, back: str, room: int, hidden: _Hidden) -> str:
    """Cut what is between them out of a text's front and its back; without a back, the front is all of it."""
    room = max(room - size(hidden.and_of(front, back)) - 12, 2)
    head = _whole_lines(_head(front, room * 3 // 5), MOST_LINES * 3 // 5)
    rest = front[len(head) :]
    end = back or rest
    tail = _tail(end, room - size(head))
    lines = tail.splitlines(keepends=True)
    if len(lines) > MOST_LINES * 2 // 5:
        tail = "".join(lines[-(MOST_LINES * 2 // 5) :])
    elif "\n" in tail[: len(tail) // 2]:
        tail = tail.partition("\n")[2]
    middle = end[: len(end) - len(tail)]
    said = hidden.and_of(rest, middle) if back else hidden.and_of(middle)
    return f"{head.removesuffix(chr(10))}\n{said}\n{MARK * (MARK in tail)}{tail}"


def _whole_lines(text: str, most: int) -> str:
    """End at a line's end, if that does not cost half of what could be shown."""
    lines = text.splitlines(keepends=True)[:most]
    if len(lines) > 1 and not lines[-1].endswith("\n") and len(lines[-1]) < len(text) // 2:
        lines.pop()
    return "".join(lines)
