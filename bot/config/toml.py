"""Reads TOML with the line of each key, and goes on after a mistake to report them all."""

import re
import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import tree_sitter_toml
from tree_sitter import Language, Node, Parser

KeyPath = tuple[str | int, ...]

UNREADABLE = "a number is too long, or lists are nested too deeply; simplify it"
MAX_MISTAKES = 100
"""Number of mistakes after which reading stops."""
_PARSER = Parser(Language(tree_sitter_toml.language()))
_WHERE = re.compile(r" \(at (?:line (\d+), column \d+|end of document)\)\Z")
_STATEMENT = re.compile(r"""\s*(?:\[|[\w"'][\w."' -]*=)""")
_UNREAD = '["\\u0000'
"""Replaces a section name that could not be read, with one that nobody uses."""
_NO_STATEMENT = frozenset({"Invalid statement", "Expected '=' after a key in a key/value pair"})
"""tomllib's errors about a line that does not begin like a statement."""
_HEADER = re.compile(r"\s*\[")

_OPEN_TEXT = "the closing quotation mark of a text is missing; add it"
_REASONS = {
    "Invalid value": "this is not a value; text needs quotation marks around it",
    "Unescaped '\\' in a string": "write \\\\ for a backslash, or put the text in single quotation marks",
    "Expected '=' after a key in a key/value pair": "a setting is written `name = value`; add the =",
    "Invalid statement": "this is not a setting or a section; write `name = value` or `[section]`",
    "Unclosed array": "a list has no closing ] or lacks a comma; add it",
    "Unclosed inline table": "a table has no closing } or lacks a comma; add it",
    "Illegal character '\\n'": _OPEN_TEXT,
    "Found invalid character '\\n'": _OPEN_TEXT,
    "Unterminated string": _OPEN_TEXT,
    'Expected "\'"': _OPEN_TEXT,
    "Expected \"'''\"": _OPEN_TEXT,
    "Expected newline or end of document after a statement": "there is more text after the value; remove it",
    "Expected ']' at the end of a table declaration": "the ] after a section's name is missing; add it",
    "Expected ']]' at the end of an array declaration": "the ]] after this name is missing; add it",
    "Cannot overwrite a value": "this is set twice; remove one of them",
}


@dataclass(frozen=True, slots=True)
class Mistake:
    """A mistake in the file: where, what, and how to correct it."""

    line: int | None
    place: str
    reason: str

    def __str__(self) -> str:
        parts = (f"line {self.line}" if self.line else "", self.place, self.reason)
        return ": ".join(part for part in parts if part)


@dataclass(frozen=True, slots=True)
class Document:
    """The values of a file, as far as they can be read, with their lines."""

    raw: Mapping[str, Any]
    lines: Mapping[KeyPath, int]
    mistakes: tuple[Mistake, ...] = ()

    def line(self, path: KeyPath) -> int | None:
        """Return the line of a value, or of the section that it would be in."""
        return next((self.lines[path[:n]] for n in range(len(path), 0, -1) if path[:n] in self.lines), None)


def read(text: str) -> Document:
    """Read a text; leave out statements with mistakes, and sections with a mistake in their name."""
    lines = text.split("\n")  # not splitlines(), which also splits at characters that may be part of a text
    mistakes: list[Mistake] = []
    while True:
        try:
            raw = tomllib.loads("\n".join(lines) + "\n")
        except tomllib.TOMLDecodeError as error:
            mistakes.append(_leave_out(lines, str(error)))
            if len(mistakes) == MAX_MISTAKES:
                return Document({}, {}, tuple(mistakes))
        except (
            ValueError,
            RecursionError,
        ):  # without a line: lists nested too deeply, or a number with too many digits
            return Document({}, {}, (*mistakes, Mistake(None, "the file", UNREADABLE)))
        else:
            known = {name: value for name, value in raw.items() if not name.startswith("\0")}
            return Document(known, _index("\n".join(lines)), tuple(mistakes))


def _leave_out(lines: list[str], error: str) -> Mistake:
    """Blank out the statement with the error, so that the lines below keep their numbers."""
    where = _WHERE.search(error)
    at = int(where[1]) - 1 if where and where[1] else len(lines) - 1
    what = error[: where.start()] if where else error
    if what == "Unclosed array" and at and _STATEMENT.match(lines[at]):
        at -= 1  # tomllib reports it at the next statement
    if where and not where[1]:
        at = _unclosed_line(lines)
    begun = what not in _NO_STATEMENT
    start = next((n for n in range(at, -1, -1) if begun and _STATEMENT.match(lines[n])), at)
    if _HEADER.match(lines[start]) and not lines[start].startswith(_UNREAD):
        lines[start] = f'{_UNREAD}{start}"]'
    else:
        after = range(at + 1, len(lines))
        end = next((n for n in after if not begun or _STATEMENT.match(lines[n])), len(lines))
        lines[start:end] = [""] * (end - start)
    return Mistake(start + 1, "", _reason(what))


def _unclosed_line(lines: list[str]) -> int:
    """Return the line where the unclosed part begins: a multi-line text, or else the last statement."""
    texts = [n for n, line in enumerate(lines) if '"""' in line or "'''" in line]
    return (texts or [n for n, line in enumerate(lines) if line.strip()] or [0])[-1]


def _reason(what: str) -> str:
    if what.startswith("Cannot declare"):
        return "this section is there twice; merge them"
    return _REASONS.get(what) or f"this is not valid TOML ({what[0].lower()}{what[1:]}); correct it"


def _index(text: str) -> dict[KeyPath, int]:
    lines: dict[KeyPath, int] = {}
    for path, line in _walk(_PARSER.parse(text.encode()).root_node, ()):
        lines.setdefault(path, line)
    return lines


def _walk(node: Node, inside: KeyPath) -> Iterator[tuple[KeyPath, int]]:
    for child in node.named_children:
        match child.type:
            case "table":
                header, *_ = child.named_children
                yield from _key_lines(header, inside, child)
            case "pair":
                key, *values = child.named_children
                yield from _key_lines(key, inside, child)
                for value in values:
                    yield from _value_lines(value, (*inside, *_keys(key)))


def _key_lines(key: Node, inside: KeyPath, holder: Node) -> Iterator[tuple[KeyPath, int]]:
    keys = _keys(key)
    for n in range(1, len(keys) + 1):
        yield (*inside, *keys[:n]), key.start_point.row + 1
    if holder.type == "table":
        yield from _walk(holder, (*inside, *keys))


def _value_lines(node: Node, path: KeyPath) -> Iterator[tuple[KeyPath, int]]:
    if node.type == "inline_table":
        yield from _walk(node, path)
    elif node.type == "array":
        items = [child for child in node.named_children if child.type != "comment"]
        for number, item in enumerate(items):
            yield (*path, number), item.start_point.row + 1
            yield from _value_lines(item, (*path, number))


def _keys(node: Node) -> KeyPath:
    """Split a key, which may be dotted and quoted, with the same parser as the file."""
    found: list[str] = []
    inside: Any = tomllib.loads(f"{(node.text or b'').decode()} = 0")
    while isinstance(inside, dict):
        ((name, inside),) = inside.items()
        found.append(name)
    return tuple(found)
