"""Puts untrusted text in a code block or inline code: nothing in it can be hidden, or end the block."""

import re
from dataclasses import dataclass

from bot.text.bidi import MARK, left_to_right
from bot.text.hidden_characters import BLANKS, CLOSE, MAX_READ, OPEN, count_blanks, show_hidden
from bot.text.truncate import beginning, head, tail, truncate, utf16_length

MAX_LINES = 80  # per block; nobody reads more than that in a message
_FENCE = re.compile(r"`{3,}")


@dataclass(frozen=True, slots=True)
class CodeBlock:
    """A text in a code block."""

    markdown: str
    complete: bool
    """False if the full text must be attached as a file."""


@dataclass(frozen=True, slots=True)
class _Omitted:
    """The size of the text that is left out between head and tail, and the name of the file with the full text."""

    attached_as: str
    lines: int = 0
    characters: int = 0

    def note(self, *texts: str) -> str:
        lines = self.lines + sum(text.count("\n") for text in texts)
        hidden = f"{lines:,} lines" if lines > 1 else f"{self.characters + sum(map(len, texts)):,} characters"
        return f"{OPEN}… {hidden} hidden: the full text is in {self.attached_as}{CLOSE}"


def code_block(text: str, language: str, limit: int, attached_as: str) -> CodeBlock:
    """Put a text in a code block of at most `limit` characters. If it does not fit, show its head and tail."""
    room = limit - utf16_length(f"```{language}\n\n```")
    if len(text) > 2 * MAX_READ:
        front, back = text[:MAX_READ].rstrip(BLANKS), text[-MAX_READ:].lstrip(BLANKS)
        omitted = _Omitted(attached_as, text.count("\n", len(front), -len(back)), len(text) - len(front) - len(back))
        shown = _head_and_tail(_code(front), _code(back), room, omitted)
        return CodeBlock(f"```{language}\n{shown}\n```", complete=False)
    shown = _code(text) if text.strip(BLANKS) else f"{OPEN}{count_blanks(text)}{CLOSE}"
    if utf16_length(shown) <= room and shown.count("\n") < MAX_LINES:
        return CodeBlock(f"```{language}\n{shown}\n```", complete=" spaces or tabs" + CLOSE not in shown)
    shown = _head_and_tail(shown, "", room, _Omitted(attached_as))
    return CodeBlock(f"```{language}\n{shown}\n```", complete=False)


def inline_code(text: str, limit: int = 200) -> str:
    """Put a short text, such as a path, in inline code."""
    lines = map(show_hidden, beginning(text).split("\n"))
    shown = f"{OPEN}LF{CLOSE}".join(lines).replace("`", f"{OPEN}U+0060{CLOSE}")
    shown = truncate(left_to_right(shown.replace("\t", f"{OPEN}TAB{CLOSE}")), limit)
    return f"`{shown}`" if shown.strip() else f"`{OPEN}{count_blanks(text)}{CLOSE}`"


def _code(text: str) -> str:
    return left_to_right(_FENCE.sub(lambda run: f"{OPEN}{len(run[0])} backticks{CLOSE}", show_hidden(text)))


def _head_and_tail(front: str, back: str, room: int, omitted: _Omitted) -> str:
    """Return the head and tail of a text, given as its front and back. If `back` is empty, `front` is the full text."""
    room = max(room - utf16_length(omitted.note(front, back)) - 12, 2)
    first = _whole_lines(head(front, room * 3 // 5), MAX_LINES * 3 // 5)
    rest = front[len(first) :]
    end = back or rest
    last = tail(end, room - utf16_length(first))
    lines = last.splitlines(keepends=True)
    if len(lines) > MAX_LINES * 2 // 5:
        last = "".join(lines[-(MAX_LINES * 2 // 5) :])
    elif "\n" in last[: len(last) // 2]:
        last = last.partition("\n")[2]
    middle = end[: len(end) - len(last)]
    note = omitted.note(rest, middle) if back else omitted.note(middle)
    return f"{first.removesuffix(chr(10))}\n{note}\n{MARK * (MARK in last)}{last}"


def _whole_lines(text: str, most: int) -> str:
    """Cut at the end of a line, unless that would drop half of the text."""
    lines = text.splitlines(keepends=True)[:most]
    if len(lines) > 1 and not lines[-1].endswith("\n") and len(lines[-1]) < len(text) // 2:
        lines.pop()
    return "".join(lines)
