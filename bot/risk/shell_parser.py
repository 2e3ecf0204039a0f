"""Parses shell commands into syntax trees with tree-sitter's bash parser."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache

import tree_sitter_bash
from tree_sitter import Language, Node, Parser

from bot.risk.shell_types import MAX_SOURCE, ProgramCall, Word

_MASK = bytes(range(0x80)) + b":" * 0x80
"""Replaces each byte that is not ASCII with an ordinary character for the parser.

To a shell they are ordinary characters too, but this parser looks them up in a table of 256 (tree-sitter-bash#337: `{`
and a rare character crash the process), and it takes some for blanks.
"""

_CALLING = frozenset({"command", "declaration_command"})  # the latter is `export`, `declare`…
_EXPANSIONS = frozenset(
    {
        *("command_substitution", "process_substitution", "simple_expansion", "expansion", "arithmetic_expansion"),
        "brace_expression",
    }
)
_BACKTICKED = re.compile(r"(?<!\\)`((?:\\.|[^`\\])*)`", re.DOTALL)
_CONTINUED = re.compile(r"(?<=[^\s\\])\\\n(?=\S)")
_ESCAPED = re.compile(r"\\(\n|.)", re.DOTALL)
_ESCAPED_IN_STRING = re.compile(r'\\(\n|["\\$`])')
_ANSI_C = re.compile(r"\\(x[0-9a-fA-F]{1,2}|u[0-9a-fA-F]{1,4}|U[0-9a-fA-F]{1,8}|0?[0-7]{1,3}|c.|.)", re.DOTALL)
_ANSI_C_LETTERS = {
    "a": "\a",
    "b": "\b",
    "e": "\x1b",
    "E": "\x1b",
    "f": "\f",
    "n": "\n",
    "r": "\r",
    "t": "\t",
    "v": "\v",
}


@dataclass(frozen=True, slots=True)
class ParsedScript:
    """The programs in a script, with their words as written."""

    calls: tuple[ProgramCall, ...] = ()
    understood: bool = True
    """False if the parser could not read everything, so that there may be more programs."""
    plain: bool = False
    """Whether it is one program with fixed arguments and nothing else."""


def parse(source: str) -> ParsedScript:
    """Parse a script; never fails, but may not understand everything."""
    if len(source) > MAX_SOURCE:
        return ParsedScript(understood=False)
    tree = SyntaxTree(source)
    nodes = list(tree.nodes())
    commands = [node for node in nodes if node.type in _CALLING]
    calls = tuple(ProgramCall(tuple(_written(tree, child) for child in arguments(node))) for node in commands)
    understood = not tree.continues and not tree.root.has_error and not any(map(tree.is_misread, nodes))
    return ParsedScript(calls, understood, plain=understood and _is_plain(tree, calls))


def arguments(command: Node) -> Iterator[Node]:
    """Yield a command's program and arguments, without assignments and redirects."""
    if command.type == "declaration_command":
        yield command.children[0]
    for child in command.named_children:
        if not child.type.endswith("_redirect") and (
            child.type != "variable_assignment" or command.type == "declaration_command"
        ):
            yield child


class SyntaxTree:
    """The syntax tree of a script, with its text."""

    def __init__(self, source: str) -> None:
        if "<<" not in source:  # the parser would end a word there, but a shell doesn't
            source = _CONTINUED.sub("", source)
        self.source = source.encode("utf-8", "replace")
        self.continues = _CONTINUED.search(source) is not None
        self.root = _parser().parse(self.source.translate(_MASK)).root_node

    def nodes(self) -> Iterator[Node]:
        waiting = [self.root]
        while waiting:
            node = waiting.pop()
            yield node
            waiting += reversed(node.children)

    def text(self, node: Node) -> str:
        return self.between(node.start_byte, node.end_byte)

    def between(self, start: int, end: int) -> str:
        return self.source[start:end].decode(errors="replace")

    def is_misread(self, node: Node) -> bool:
        """Check whether a shell would read a node differently than the parser."""
        match node.type:
            case "file_redirect":  # its target is on the next line, which is an error in a shell
                return "\n" in self.text(node).replace("\\\n", "")
            case "heredoc_start":  # with the mask, another line may look like its end
                return not self.text(node).isascii()
        return False

    def literal(self, node: Node) -> str | None:
        """Return the text of a literal node; None if something in it must be expanded."""
        text = self.text(node)
        match node.type:
            case "raw_string":
                return text[1:-1]
            case "ansi_c_string":
                return unescape(text[2:-1])
            case "word" | "number" | "extglob_pattern" | "regex" | "variable_name" | "string_content" | "test_operator":
                return _ESCAPED.sub(lambda found: "" if found[1] == "\n" else found[1], text)
        return None if node.is_named else text

    def quoted(self, node: Node) -> Iterator[str | Node]:
        """Split a quoted string into texts and expansions; the spaces between them have no nodes."""
        place = node.start_byte + self.source[node.start_byte : node.end_byte].find(b'"') + 1
        yield from self.parts(node, place, max(place, node.end_byte - 1))

    def parts(self, node: Node, place: int, end: int) -> Iterator[str | Node]:
        """Yield the texts and expansions between two places."""
        for child in node.named_children:
            if child.type in _EXPANSIONS:
                yield self._in_string(place, child.start_byte)
                yield child
                place = child.end_byte
        yield self._in_string(place, end)

    def _in_string(self, start: int, end: int) -> str:
        return _ESCAPED_IN_STRING.sub(lambda found: "" if found[1] == "\n" else found[1], self.between(start, end))

    def backticked(self, node: Node) -> Iterator[str]:
        """Yield the commands in backticks where the parser sees only text: here-documents and `${x:-…}`."""
        if b"`" in self.source[node.start_byte : node.end_byte]:
            yield from (found[1].replace("\\`", "`") for found in _BACKTICKED.finditer(self.text(node)))


def unescape(text: str) -> str:
    """Resolve the escapes of `$'…'` and `printf`."""
    return _ANSI_C.sub(_ansi_c, text)


@cache
def _parser() -> Parser:
    return Parser(Language(tree_sitter_bash.language()))


def _written(tree: SyntaxTree, node: Node) -> Word:
    """Return a word without expanding anything."""
    match node.type:
        case "string" | "translated_string":
            return _joined([_part(tree, part) for part in tree.quoted(node)])
        case "concatenation" | "command_name":
            return _joined([_written(tree, child) for child in node.children])
    literal = tree.literal(node)
    return Word(tree.text(node), known=False) if literal is None else Word(literal)


def _part(tree: SyntaxTree, part: str | Node) -> Word:
    return Word(part) if isinstance(part, str) else Word(tree.text(part), known=False)


def _joined(parts: list[Word]) -> Word:
    return Word("".join(part.text for part in parts), all(part.known for part in parts))


def _is_plain(tree: SyntaxTree, calls: tuple[ProgramCall, ...]) -> bool:
    (only,) = tree.root.children if len(tree.root.children) == 1 else (tree.root,)
    around = [child for child in only.children if child.type.endswith(("_redirect", "_assignment"))]
    return only.type == "command" and not around and len(calls) == 1 and all(word.known for word in calls[0].words)


def _ansi_c(found: re.Match[str]) -> str:
    code = found[1]
    if code[0] in "xuU" and len(code) > 1:
        return chr(min(int(code[1:], 16), 0x10FFFF))
    if code[0] in "01234567":
        return chr(int(code, 8) & 0xFF)
    return _ANSI_C_LETTERS.get(code, code)
