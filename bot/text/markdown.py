"""Converts Claude's markdown for Discord, line by line: code blocks, tables and escapes."""

import re
from dataclasses import dataclass, field, replace

from bot.text.escape import discord_markdown, escape_fences
from bot.text.split import Fence, TextLine
from bot.text.tables import columns, is_delimiter, table

_CONTROLS = re.compile(r"[\x00-\x08\x0b-\x1f\x7f]")
_OPENING = re.compile(r"(\s*)(`{3,}|~{3,})\s*([^`\s]*)[^`]*\Z")
_LANGUAGE = re.compile(r"[A-Za-z0-9_+\-.#]{1,30}\Z")


@dataclass(slots=True)
class MarkdownReader:
    """Reads markdown line by line as it arrives."""

    _fence: Fence | None = None
    _fence_mark: str = ""
    _indent: int = 0
    _held_lines: list[str] = field(default_factory=list)
    """The rows of the current table, or a line that may be its header."""

    def feed(self, raw: str) -> list[TextLine]:
        """Read a complete line, without its line break, and return the lines that are final now."""
        raw = _CONTROLS.sub("", raw)
        if self._fence is not None:
            return self._in_fence(raw, self._fence)
        held = self._held_lines
        if len(held) == 1 and is_delimiter(raw) and columns(raw) == columns(held[0]):
            held.append(raw)
            return []
        if len(held) > 1 and "|" in raw:
            held.append(raw)
            return []
        lines = self.flush()
        if opening := _OPENING.match(raw):
            language = opening[3] if _LANGUAGE.match(opening[3]) else ""
            self._fence, self._fence_mark, self._indent = Fence(language), opening[2], len(opening[1])
        elif "|" in raw:
            self._held_lines = [raw]
        else:
            lines.append(TextLine(discord_markdown(raw)))
        return lines

    def _in_fence(self, raw: str, fence: Fence) -> list[TextLine]:
        bare = raw.strip()
        if len(bare) >= len(self._fence_mark) and bare == self._fence_mark[0] * len(bare):
            self._fence = None
            return []
        indent = min(self._indent, len(raw) - len(raw.lstrip(" ")))
        return [TextLine(escape_fences(raw[indent:]), fence)]

    def flush(self) -> list[TextLine]:
        """Return the lines that were held back for a table."""
        held, self._held_lines = self._held_lines, []
        if len(held) > 1:
            return table(held)
        return [TextLine(discord_markdown(raw)) for raw in held]

    def rest(self, partial: str) -> list[TextLine]:
        """Return the remaining lines as if the text ended here, without changing the reader."""
        ahead = replace(self, _held_lines=self._held_lines.copy())
        lines = ahead.feed(partial) if partial else []
        return lines + ahead.flush()
