"""Draws Markdown tables, which Discord does not support, as an aligned code block, or as a list if too wide."""

import re
import unicodedata

from bot.text.escape import discord_markdown, escape_fences
from bot.text.split import Fence, TextLine

PHONE_WIDTH = 32  # characters of a code block that fit in one line on a phone
_DELIMITER = re.compile(r"\s*\|?\s*:?-+:?\s*(\|\s*:?-+:?\s*)*\|?\s*\Z")
_CELL_END = re.compile(r"(?<!\\)\|")
_INLINE = re.compile(r"\*\*|__|`+")


def is_delimiter(row: str) -> bool:
    """Check whether this is the row of dashes below a table's header."""
    return "-" in row and "|" in row and _DELIMITER.match(row) is not None


def columns(row: str) -> int:
    return len(cells(row))


def cells(row: str) -> list[str]:
    row = row.strip()
    row = row.removeprefix("|")
    if row.endswith("|") and not row.endswith("\\|"):
        row = row[:-1]
    return [cell.strip().replace("\\|", "|") for cell in _CELL_END.split(row)]


def table(rows: list[str]) -> list[TextLine]:
    """Draw a table, given as its header, its row of dashes, and its rows."""
    head, *body = (cells(row) for i, row in enumerate(rows) if i != 1)
    right = [dashes.endswith(":") and not dashes.startswith(":") for dashes in cells(rows[1])]
    width = max(map(len, [head, *body]))
    grid = [row + [""] * (width - len(row)) for row in [head, *body]]
    plain = [[_INLINE.sub("", cell) for cell in row] for row in grid]
    widths = [max(map(_display_width, column)) for column in zip(*plain, strict=True)]
    if sum(widths) + 2 * (width - 1) > PHONE_WIDTH:
        return _as_list(grid)
    right += [False] * (width - len(right))
    fence = Fence()
    dashes = "  ".join("─" * wide for wide in widths)
    drawn = [_aligned(row, widths, right) for row in plain]
    return [TextLine(text, fence) for text in [drawn[0], dashes, *drawn[1:]]]


def _aligned(row: list[str], widths: list[int], right: list[bool]) -> str:
    padded = [
        " " * (wide - _display_width(cell)) + cell if to_right else cell + " " * (wide - _display_width(cell))
        for cell, wide, to_right in zip(row, widths, right, strict=True)
    ]
    return escape_fences("  ".join(padded).rstrip())


def _display_width(text: str) -> int:
    if text.isascii():
        return len(text)
    return sum(0 if unicodedata.combining(c) else 2 if unicodedata.east_asian_width(c) in "WF" else 1 for c in text)


def _as_list(grid: list[list[str]]) -> list[TextLine]:
    """Draw the header in small print, and each row as a title with its cells below, labelled with their columns."""
    head, *body = grid
    lines = (
        [TextLine(f"-# {discord_markdown(' · '.join(filter(None, head)))}", may_start_message=True)]
        if any(head)
        else []
    )
    for title, *others in body:
        bold = f"**{title}**" if title and "**" not in title else title or "·"
        if len(others) == 1:
            lines.append(TextLine(discord_markdown(f"- {bold}: {others[0]}" if others[0] else f"- {bold}")))
            continue
        lines.append(TextLine(discord_markdown(bold), may_start_message=True))
        named = zip(head[1:], others, strict=True)
        lines += [
            TextLine(discord_markdown(f"- {name}: {cell}" if name else f"- {cell}")) for name, cell in named if cell
        ]
    return lines
