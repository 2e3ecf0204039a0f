"""Claude's markdown, line by line, turned into what Discord draws: code blocks, tables, escapes."""

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
    """Reads markdown as it arrives, a line at a time."""

    _fence: Fence | None = None
    _mark: str = ""
    _indent: int = 0
    _held: list[str] = field(default_factory=list)
    """The table so far, or a line that may be its head."""

    def feed(self, raw: str) -> list[TextLine]:
        """Take a whole line, without its line break, and return the lines that are certain by now."""
        raw = _CONTROLS.sub("", raw)
        if self._fence is not None:
            return self._in_fence(raw, self._fence)
        held = self._held
        if len(held) == 1 and is_delimiter(raw) and columns(raw) == columns(held[0]):
            held.append(raw)
            return []
        if len(held) > 1 and "|" in raw:
            held.append(raw)
            return []
        lines = self.flush()
        if opening := _OPENING.match(raw):
            language = opening[3] if _LANGUAGE.match(opening[3]) else ""
            self._fence, self._mark, self._indent = Fence(language), opening[2], len(opening[1])
        elif "|" in raw:
            self._held = [raw]
        else:
            lines.append(TextLine(discord_markdown(raw)))
        return lines

    def _in_fence(self, raw: str, fence: Fence) -> list[TextLine]:
        bare = raw.strip()
        if len(bare) >= len(self._mark) and bare == self._mark[0] * len(bare):
            self._fence = None
            return []
        indent = min(self._indent, len(raw) - len(raw.lstrip(" ")))
        return [TextLine(escape_fences(raw[indent:]), fence)]

    def flush(self) -> list[TextLine]:
        """Return what was held back: nothing more comes that could change its meaning."""
        held, self._held = self._held, []
        if len(held) > 1:
            return table(held)
        return [TextLine(discord_markdown(raw)) for raw in held]

    def rest(self, partial: str) -> list[TextLine]:
        """Return what would follow if the text ended here, without changing anything."""
        ahead = replace(self, _held=self._held.copy())
        lines = ahead.feed(partial) if partial else []
        return lines + ahead.flush()
