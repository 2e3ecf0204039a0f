"""A TOML text read with the line of each key, past as many mistakes as it has."""

import re
import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import tree_sitter_toml
from tree_sitter import Language, Node, Parser

KeyPath = tuple[str | int, ...]

UNREADABLE = "a number is too long, or lists are nested too deeply, to be read; make it simpler"
MOST = 100
"""Mistakes after which reading on helps nobody."""
_PARSER = Parser(Language(tree_sitter_toml.language()))
_WHERE = re.compile(r" \(at (?:line (\d+), column \d+|end of document)\)\Z")
_STATEMENT = re.compile(r"""\s*(?:\[|[\w"'][\w."' -]*=)""")
_UNREAD = '["\\u0000'
"""How a section begins whose name could not be read: under a name that nobody gives."""
_NO_STATEMENT = frozenset({"Invalid statement", "Expected '=' after a key in a key/value pair"})
"""What is said of a line that begins like no statement at all."""
_HEADER = re.compile(r"\s*\[")

_OPEN_TEXT = "a text is not closed; end it with a quotation mark"
_CURES = {
    "Invalid value": "this is no value; text needs quotation marks around it",
    "Unescaped '\\' in a string": "write \\\\ for a backslash, or put the text in single quotation marks",
    "Expected '=' after a key in a key/value pair": "a setting is written `name = value`; add the =",
    "Invalid statement": "this is neither a setting nor a section; write `name = value` or `[section]`",
    "Unclosed array": "a list is not closed, or lacks a comma; end it with ]",
    "Unclosed inline table": "a table is not closed, or lacks a comma; end it with }",
    "Illegal character '\\n'": _OPEN_TEXT,
    "Found invalid character '\\n'": _OPEN_TEXT,
    "Unterminated string": _OPEN_TEXT,
    'Expected "\'"': _OPEN_TEXT,
    "Expected \"'''\"": _OPEN_TEXT,
    "Expected newline or end of document after a statement": "more stands behind the value; remove it",
    "Expected ']' at the end of a table declaration": "a section's name ends with ]; add it",
    "Expected ']]' at the end of an array declaration": "this name ends with ]]; add them",
    "Cannot overwrite a value": "this is set a second time; remove one of the two",
}


@dataclass(frozen=True, slots=True)
class Mistake:
    """What is wrong in one place, and what to do about it."""

    line: int | None
    place: str
    reason: str

    def __str__(self) -> str:
        parts = (f"line {self.line}" if self.line else "", self.place, self.reason)
        return ": ".join(part for part in parts if part)


@dataclass(frozen=True, slots=True)
class Document:
    """What a text says, as far as it can be read."""

    raw: Mapping[str, Any]
    lines: Mapping[KeyPath, int]
    mistakes: tuple[Mistake, ...] = ()

    def line(self, path: KeyPath) -> int | None:
        """Find the line of a value, or of what would hold it."""
        return next((self.lines[path[:n]] for n in range(len(path), 0, -1) if path[:n] in self.lines), None)


def read(text: str) -> Document:
    """Read a text; a statement with a mistake is left out, and so is a section whose name has one."""
    lines = text.split("\n")  # not splitlines(): a text in it may hold what other programs take for a line's end
    mistakes: list[Mistake] = []
    while True:
        try:
            raw = tomllib.loads("\n".join(lines) + "\n")
        except tomllib.TOMLDecodeError as error:
            mistakes.append(_leave_out(lines, str(error)))
            if len(mistakes) == MOST:
                return Document({}, {}, tuple(mistakes))
        except (ValueError, RecursionError):  # tomllib tells no place: lists in lists in lists, an endless number
            return Document({}, {}, (*mistakes, Mistake(None, "the file", UNREADABLE)))
        else:
            known = {name: value for name, value in raw.items() if not name.startswith("\0")}
            return Document(known, _index("\n".join(lines)), tuple(mistakes))


def _leave_out(lines: list[str], error: str) -> Mistake:
    """Blank the statement that an error is in; the lines below keep their numbers."""
    where = _WHERE.search(error)
    at = int(where[1]) - 1 if where and where[1] else len(lines) - 1
    what = error[: where.start()] if where else error
    if what == "Unclosed array" and at and _STATEMENT.match(lines[at]):
        at -= 1  # it was noticed where the next statement begins
    if where and not where[1]:
        at = _last_begun(lines)
    begun = what not in _NO_STATEMENT
    start = next((n for n in range(at, -1, -1) if begun and _STATEMENT.match(lines[n])), at)
    if _HEADER.match(lines[start]) and not lines[start].startswith(_UNREAD):
        lines[start] = f'{_UNREAD}{start}"]'
    else:
        after = range(at + 1, len(lines))
        end = next((n for n in after if not begun or _STATEMENT.match(lines[n])), len(lines))
        lines[start:end] = [""] * (end - start)
    return Mistake(start + 1, "", _reason(what))


def _last_begun(lines: list[str]) -> int:
    """Find where that begins which goes on to the end: a text of several lines, or else the last statement."""
    texts = [n for n, line in enumerate(lines) if '"""' in line or "'''" in line]
    return (texts or [n for n, line in enumerate(lines) if line.strip()] or [0])[-1]


def _reason(what: str) -> str:
    if what.startswith("Cannot declare"):
        return "this section is there a second time; join the two"
    return _CURES.get(what) or f"this is not valid TOML ({what[0].lower()}{what[1:]}); correct it"


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
                yield from _named(header, inside, child)
            case "pair":
                key, *values = child.named_children
                yield from _named(key, inside, child)
                for value in values:
                    yield from _value(value, (*inside, *_keys(key)))


def _named(key: Node, inside: KeyPath, holder: Node) -> Iterator[tuple[KeyPath, int]]:
    keys = _keys(key)
    for n in range(1, len(keys) + 1):
        yield (*inside, *keys[:n]), key.start_point.row + 1
    if holder.type == "table":
        yield from _walk(holder, (*inside, *keys))


def _value(node: Node, path: KeyPath) -> Iterator[tuple[KeyPath, int]]:
    if node.type == "inline_table":
        yield from _walk(node, path)
    elif node.type == "array":
        items = [child for child in node.named_children if child.type != "comment"]
        for number, item in enumerate(items):
            yield (*path, number), item.start_point.row + 1
            yield from _value(item, (*path, number))


def _keys(node: Node) -> KeyPath:
    """Read a key, dotted and quoted as it may be, with the parser that read the file."""
    found: list[str] = []
    inside: Any = tomllib.loads(f"{(node.text or b'').decode()} = 0")
    while isinstance(inside, dict):
        ((name, inside),) = inside.items()
        found.append(name)
    return tuple(found)
