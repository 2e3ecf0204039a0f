"""A shell command as the programs it calls, read by a real parser (tree-sitter's bash)."""

import re
from bisect import bisect_left
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from functools import cache

import tree_sitter_bash
from tree_sitter import Language, Node, Parser

MOST_SOURCE = 50_000  # characters; tree-sitter would go on, but walking its tree in Python takes time
MOST_STEPS = 50  # levels of nesting between a command and what surrounds it
MOST_FEEDING = 50  # commands before another in its pipeline; all of all would be a square
_MASK = bytes(range(0x80)) + b":" * 0x80
"""What the parser gets to see: an ordinary character of a word in place of each byte that is not ASCII.

A shell takes those for nothing else, but this parser looks them up in a table of 256 (tree-sitter-bash#337: `{` and
a rare character, and the process is gone), and it takes some for blanks.
"""

_CALLING = frozenset({"command", "declaration_command"})  # the latter is `export`, `declare`…
_BACKTICKED = re.compile(r"(?<!\\)`((?:\\.|[^`\\])*)`", re.DOTALL)
_SUBSTITUTIONS = frozenset({"command_substitution", "process_substitution"})
_UNKNOWN = _SUBSTITUTIONS | {"simple_expansion", "expansion", "arithmetic_expansion", "brace_expression"}
_KNOWN_VARIABLES = {"$HOME": "~", "${HOME}": "~", "$PWD": ".", "${PWD}": "."}
_ESCAPED = re.compile(r"\\(\n|.)", re.DOTALL)
_ESCAPED_IN_STRING = re.compile(r'\\(\n|["\\$`])')
_ANSI_C = re.compile(r"\\(x[0-9a-fA-F]{1,2}|u[0-9a-fA-F]{1,4}|U[0-9a-fA-F]{1,8}|[0-7]{1,3}|c.|.)", re.DOTALL)
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
class Word:
    """One argument, as the program would get it."""

    text: str
    known: bool = True
    """False when a part is only known once it runs: `$X`, `$(…)`; that part is kept as written."""

    def __str__(self) -> str:
        return self.text


@dataclass(frozen=True, slots=True)
class Call:
    """One program and its arguments."""

    words: tuple[Word, ...]
    stdin: tuple[str, ...] = ()
    """The texts of here-documents and here-strings that it reads."""
    fed_by: tuple["Call", ...] = ()
    """What stands before it in its pipeline."""
    made_of: tuple["Call", ...] = ()
    """What runs inside its arguments: `bash <(curl …)`."""
    assigns: tuple[str, ...] = ()
    """The variables set for it alone: `FOO=1 make`."""

    @property
    def program(self) -> str:
        return self.words[0].text.rpartition("/")[2] if self.words else ""

    @property
    def texts(self) -> tuple[str, ...]:
        return tuple(word.text for word in self.words)

    def __str__(self) -> str:
        return " ".join(self.texts)


@dataclass(frozen=True, slots=True)
class Redirect:
    operator: str
    target: Word

    @property
    def writes(self) -> bool:
        return ">" in self.operator


@dataclass(frozen=True, slots=True)
class Script:
    calls: tuple[Call, ...] = ()
    redirects: tuple[Redirect, ...] = ()
    understood: bool = True
    """False: the parser could not read all of it, so there may be more than what is listed."""
    plain: bool = False
    """One program with fixed arguments and nothing around it."""
    inner: tuple[str, ...] = ()
    """Scripts inside of it that the parser takes for text."""
    assigned: tuple[tuple[str, Word], ...] = ()
    """The variables that are set, and to what."""
    variables: frozenset[str] = frozenset()
    """The variables that are read."""


def parse(source: str) -> Script:
    """Read a script; never fails, but may not understand all."""
    if len(source) > MOST_SOURCE:
        return Script(understood=False)
    tree = _Tree(source.encode("utf-8", "replace"))
    commands = [_Command.read(tree, node) for node in tree.nodes if node.type in _CALLING]
    calls = _linked(commands)
    redirects = tuple(tree.redirect(node) for node in tree.nodes if node.type == "file_redirect")
    all_linked = all(len(call.fed_by) < MOST_FEEDING for call in calls)
    understood = all_linked and not tree.root.has_error and not any(map(tree.is_misread, tree.nodes))
    return Script(
        calls,
        redirects,
        understood,
        plain=understood and _is_plain(tree, calls),
        inner=tuple(text for node in tree.nodes for text in tree.backticked(node)),
        assigned=tuple(tree.assignment(node) for node in tree.nodes if node.type == "variable_assignment"),
        variables=frozenset(tree.text(node) for node in tree.nodes if tree.is_read(node)),
    )


@cache
def _parser() -> Parser:
    return Parser(Language(tree_sitter_bash.language()))


class _Tree:
    """The syntax tree with its parents at hand (`Node.parent` searches from the root each time)."""

    def __init__(self, source: bytes) -> None:
        self.source = source
        self.root = _parser().parse(source.translate(_MASK)).root_node
        self.nodes: list[Node] = []
        self.parents: dict[int, Node] = {}
        waiting = [self.root]
        while waiting:
            node = waiting.pop()
            self.nodes.append(node)
            for child in reversed(node.children):
                self.parents[child.id] = node
                waiting.append(child)

    def text(self, node: Node) -> str:
        return self.source[node.start_byte : node.end_byte].decode(errors="replace")

    def above(self, node: Node) -> Iterator[tuple[Node, Node]]:
        """Walk outwards: each surrounding node, with the one inside it that was walked through."""
        for _ in range(MOST_STEPS):
            parent = self.parents.get(node.id)
            if parent is None:
                return
            yield parent, node
            node = parent

    def redirect(self, node: Node) -> Redirect:
        operator = next((self.text(child) for child in node.children if not child.is_named), "")
        targets = [self.word(child) for child in node.named_children if child.type != "file_descriptor"]
        return Redirect(operator, targets[0] if targets else Word("", known=False))

    def is_misread(self, node: Node) -> bool:
        """Whether a shell would read this otherwise than the parser does."""
        match node.type:
            case "file_redirect":  # its target taken from the next line: an error to a shell
                return "\n" in self.text(node).replace("\\\n", "")
            case "heredoc_start":  # behind the mask another line may look like its end
                return not self.text(node).isascii()
        return False

    def backticked(self, node: Node) -> Iterator[str]:
        """Find what runs between backticks where the parser sees text: here-documents, and `${x:-…}`."""
        if (
            node.type not in ("heredoc_body", "word", "regex")
            or b"`" not in self.source[node.start_byte : node.end_byte]
        ):
            return
        around = self.parents.get(node.id)
        starts = _of(around, "heredoc_start") if around and node.type == "heredoc_body" else []
        if any(set(self.text(start)) & set("'\"\\") for start in starts):
            return  # a quoted end: all of it is text
        yield from (found[1].replace("\\`", "`") for found in _BACKTICKED.finditer(self.text(node)))

    def assignment(self, node: Node) -> tuple[str, Word]:
        value = node.child_by_field_name("value")
        return self.text(node).partition("=")[0].removesuffix("+"), self.word(value) if value else Word("")

    def is_read(self, node: Node) -> bool:
        """Whether this is the name in `$X` or `${X…}`."""
        around = self.parents.get(node.id)
        return node.type == "variable_name" and around is not None and around.type in ("simple_expansion", "expansion")

    def word(self, node: Node) -> Word:  # noqa: PLR0911 - one a kind
        text = self.text(node)
        match node.type:
            case "raw_string":
                return Word(text[1:-1])
            case "ansi_c_string":
                return Word(_ANSI_C.sub(_ansi_c, text[2:-1]))
            case "string" | "translated_string":
                return self._string(node)
            case "concatenation" | "command_name":
                return _joined(self.word(child) for child in node.children)
            case "word" | "number" | "extglob_pattern" | "regex":
                return Word(_ESCAPED.sub(lambda found: "" if found[1] == "\n" else found[1], text))
            case kind if kind in _UNKNOWN or node.is_named:
                return _variable(text)
        return Word(text)

    def _string(self, node: Node) -> Word:
        """Put a quoted string together; the spaces between its parts are in no node of their own."""
        parts: list[Word] = []
        place = node.start_byte + self.source[node.start_byte : node.end_byte].find(b'"') + 1
        end = max(place, node.end_byte - 1)
        for child in node.named_children:
            if child.type in _UNKNOWN:
                parts += [self._literal(place, child.start_byte), _variable(self.text(child))]
                place = child.end_byte
        return _joined((*parts, self._literal(place, end)))

    def _literal(self, start: int, end: int) -> Word:
        text = self.source[start:end].decode(errors="replace")
        return Word(_ESCAPED_IN_STRING.sub(lambda found: "" if found[1] == "\n" else found[1], text))


@dataclass(slots=True)
class _Command:
    """A command in the tree, and where it stands."""

    call: Call
    node: Node
    owner: int | None = None
    """The command whose argument it is."""
    pipelines: dict[int, int] = field(default_factory=dict)
    """The pipelines it is in, by node, and where in them."""
    document: int | None = None
    """The here-document behind whose first line it stands: `cat <<EOF | bash`."""
    reads: int | None = None
    """The here-document that it reads."""

    @classmethod
    def read(cls, tree: _Tree, node: Node) -> "_Command":
        kinds = ("variable_assignment", "herestring_redirect", "file_redirect", "heredoc_redirect")
        words = tuple(tree.word(child) for child in node.named_children if child.type not in kinds)
        assigns = tuple(tree.assignment(child)[0] for child in _of(node, "variable_assignment"))
        if node.type == "declaration_command":
            words = (Word(tree.text(node.children[0])), *words, *map(Word, assigns))
        made = cls(Call(words, assigns=assigns), node)
        texts = [tree.word(child.named_children[-1]).text for child in _of(node, "herestring_redirect")]
        inside = True  # not yet out of a substitution
        for parent, child in tree.above(node):
            if inside and parent.type == "pipeline":
                made.pipelines[parent.id] = child.start_byte
            if inside and parent.type == "redirected_statement":
                documents = _of(parent, "heredoc_redirect")
                texts += [text for document in documents for text in _documents(tree, document)]
                made.reads = documents[0].id if documents else made.reads
            if inside and parent.type == "heredoc_redirect":
                made.document = parent.id
            inside = inside and parent.type not in _SUBSTITUTIONS
            if not inside and parent.type == "command":
                made.owner = parent.id
                break
        made.call = Call(words, tuple(texts), assigns=assigns)
        return made


def _linked(commands: list[_Command]) -> tuple[Call, ...]:
    """Tell each call what feeds it and what runs inside it."""
    inside: dict[int | None, list[Call]] = defaultdict(list)
    readers: dict[int | None, list[int]] = defaultdict(list)
    stages: dict[int, list[tuple[int, int]]] = defaultdict(list)
    for number, command in enumerate(commands):
        inside[command.owner].append(command.call)
        if command.document is None:
            readers[command.reads].append(number)
        for pipeline, place in command.pipelines.items():
            stages[pipeline].append((place, number))  # in the order of places, as the commands are
    calls = []
    for number, command in enumerate(commands):
        feeding = set(readers[command.document]) if command.document is not None else set()
        for pipeline, place in command.pipelines.items():
            before = bisect_left(stages[pipeline], (place, -1))
            feeding.update(other for _, other in stages[pipeline][: min(before, MOST_FEEDING)])
        fed_by = tuple(commands[other].call for other in sorted(feeding - {number}))[:MOST_FEEDING]
        made_of = tuple(inside[command.node.id])
        calls.append(replace(command.call, fed_by=fed_by, made_of=made_of))
    return tuple(calls)


def _is_plain(tree: _Tree, calls: tuple[Call, ...]) -> bool:
    if len(calls) != 1 or calls[0].assigns:
        return False
    alone = [child.type for child in tree.root.children] == ["command"]
    return alone and all(word.known for word in calls[0].words) and not calls[0].stdin


def _of(node: Node, kind: str) -> list[Node]:
    return [child for child in node.children if child.type == kind]


def _documents(tree: _Tree, node: Node) -> Iterator[str]:
    yield from (tree.text(child) for child in _of(node, "heredoc_body"))


def _joined(parts: "Iterator[Word] | tuple[Word, ...]") -> Word:
    found = tuple(parts)
    return Word("".join(part.text for part in found), all(part.known for part in found))


def _variable(text: str) -> Word:
    known = _KNOWN_VARIABLES.get(text.strip())
    return Word(text, known=False) if known is None else Word(known)


def _ansi_c(found: re.Match[str]) -> str:
    code = found[1]
    if code[0] in "xuU" and len(code) > 1:
        return chr(min(int(code[1:], 16), 0x10FFFF))
    if code[0] in "01234567":
        return chr(int(code, 8))
    return _ANSI_C_LETTERS.get(code, code)
