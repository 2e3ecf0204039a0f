"""Converts the text of a turn to lines of a message: answers, thinking and notices."""

import re
from dataclasses import dataclass, field

from bot.masking import mask
from bot.messages import File
from bot.render.turns.footer import model_name
from bot.text.escape import discord_markdown, one_line
from bot.text.markdown import MarkdownReader
from bot.text.split import Fence, SplitPoint, TextLine
from bot.text.truncate import truncate
from bot.transcript import AnswerText

LONG = 9000
"""Characters of an answer that are shown in the thread, about five messages; a longer one is attached as a file."""
_MAX_THINKING_LINE = 250  # characters per line of thinking; each line is a separate spoiler
_MAX_THINKING = 6000
_LAST_HEADINGS = re.compile(r"(?:\n+#{1,6} [^\n]*)+\s*\Z")  # headings at the end, with nothing below them
_MODES = {
    "default": "asks before it acts",
    "manual": "asks before it acts",
    "acceptEdits": "accept edits",
    "bypassPermissions": "never asks",
    "dontAsk": "don't ask",
}


@dataclass(slots=True)
class TextProgress:
    """How much of a growing text has been drawn."""

    start: SplitPoint
    reader: MarkdownReader = field(default_factory=MarkdownReader)
    chunks: int = 0
    length: int = 0
    line: str = ""
    """The last line, which may still grow."""
    shortened: bool = False


def beginning(text: str) -> str:
    """Return the part of a long text that is shown in the thread, cut at the end of a paragraph, line or word."""
    head = text[:LONG]
    for end in ("\n\n", "\n", " "):
        place = head.rfind(end, LONG // 2)
        if place > 0:
            return _LAST_HEADINGS.sub("", head[:place])
    return head


def answer_lines(item: AnswerText) -> list[TextLine]:
    """Return the lines of an answer, or of the beginning of a long one."""
    text = item.text
    if len(text) <= LONG:
        return markdown_lines(text)
    return [*markdown_lines(beginning(text)), _continuation(item)]


def markdown_lines(text: str) -> list[TextLine]:
    reader = MarkdownReader()
    *whole, last = text.split("\n")
    return [*(line for raw in whole for line in reader.feed(mask(raw))), *reader.rest(mask(last))]


def own_lines(text: str) -> list[TextLine]:
    """Split a message of the bot, which is already escaped; only its code blocks matter."""
    lines: list[TextLine] = []
    fence: Fence | None = None
    for raw in text.split("\n"):
        if raw.startswith("```"):
            fence = Fence() if fence is None else None
        else:
            lines.append(TextLine(raw, fence))
    return lines


def last_lines(item: AnswerText, progress: TextProgress) -> list[TextLine]:
    """Return the last lines of a text, as if it ended here."""
    if progress.shortened:
        return [_continuation(item)]
    return progress.reader.rest(mask(progress.line))


def _continuation(item: AnswerText) -> TextLine:
    if not item.done:
        return TextLine("-# … still writing; the full answer will be attached here", may_start_message=True)
    return TextLine(f"-# … the full answer is attached: {len(item.text):,} characters", may_start_message=True)


def answer_file(item: AnswerText) -> File:
    return File("answer.md", item.text.encode("utf-8", "replace"))


def thinking_lines(text: str) -> list[TextLine]:
    """Draw thinking as spoilers, in small print."""
    lines = [TextLine("-# Thinking", may_start_message=True)]
    for raw in truncate(mask(text).strip(), _MAX_THINKING).split("\n"):
        rest = raw.replace("|", "¦").replace("`", "'").strip()
        while rest:
            lines.append(TextLine(f"-# ||{rest[:_MAX_THINKING_LINE]}||"))
            rest = rest[_MAX_THINKING_LINE:]
    return lines


def notice_line(text: str) -> TextLine:
    """Draw a change of the model or mode, or another notice of the CLI."""
    return TextLine(f"-# {discord_markdown(_notice(text))}", may_start_message=True)


def _notice(text: str) -> str:
    label, _, value = text.partition(": ")
    if label == "Model":
        return f"{label}: {model_name(value)}"
    if label == "Mode":
        return f"{label}: {_MODES.get(value, value)}"
    return truncate(one_line(text), 300)
