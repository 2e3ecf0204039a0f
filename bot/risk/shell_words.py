"""The words of a command, as a shell would pass them on: quotes, variables and substitutions in their place."""

from collections.abc import Iterator
from typing import Protocol

from tree_sitter import Node

from bot.risk.shell_expansion import Piece, fields, joined, marked, operated, unmarked
from bot.risk.shell_parser import Stream, Tree, Word
from bot.risk.shell_state import State
from bot.risk.warning_kinds import Kind, Warning  # noqa: A004 - it is one

MOST_DIGITS = 5
"""Digits of a range, `{1..99999}`, that somebody may mean."""


class Shell(Protocol):
    """What follows the scripts that stand within words, and knows the variables."""

    state: State
    noticed: set[Warning]
    variables: set[str]

    @property
    def tree(self) -> Tree: ...
    def script(self, source: str, stdin: Stream | None = None) -> Stream: ...
    def substituted(self, node: Node) -> Stream | None: ...


def words_of(shell: Shell, node: Node) -> list[Word]:
    separators = shell.state.value("IFS") if "IFS" in shell.state.values else None
    return fields(_pieces(shell, node), separators.text if separators else None)


def text_of(shell: Shell, node: Node) -> Word:
    """Read a word where a shell would not split it."""
    return unmarked(joined(_pieces(shell, node)))


def _pieces(shell: Shell, node: Node, *, quoted: bool = False) -> Iterator[Piece]:  # noqa: C901 - one a kind of node
    match node.type:
        case "string" | "translated_string":
            start = node.start_byte + shell.tree.source[node.start_byte : node.end_byte].find(b'"') + 1
            yield from parts_of(shell, node, start, max(start, node.end_byte - 1))
        case "concatenation" | "command_name":
            for child in node.children:
                yield from _pieces(shell, child, quoted=quoted)
        case "simple_expansion" | "expansion":
            yield _expanded(shell, node, splits=not quoted)
        case "command_substitution" | "process_substitution":
            yield _substituted(shell, node, splits=not quoted)
        case "brace_expression":
            text = shell.tree.text(node)
            if max(map(len, text.strip("{}").split(".."))) > MOST_DIGITS:
                shell.noticed.add(Warning(Kind.EXHAUSTS, text))
            yield Piece(marked(text))
        case _:
            literal = shell.tree.literal(node)
            if literal is None:
                follow_within(shell, node)
                yield Piece(shell.tree.text(node), known=False)
            else:
                bare = node.type in ("word", "number", "extglob_pattern") or not node.is_named
                if bare and "`" in literal:
                    for inner in shell.tree.backticked(node):
                        shell.script(inner)
                yield Piece(marked(literal) if bare and "\\" not in shell.tree.text(node) else literal)


def parts_of(shell: Shell, node: Node, start: int, end: int) -> Iterator[Piece]:
    for part in shell.tree.parts(node, start, end):
        if isinstance(part, str):
            yield Piece(part)
        else:
            yield from _pieces(shell, part, quoted=True)


def follow_within(shell: Shell, node: Node) -> None:
    """Follow what runs inside of a node that is not followed itself: `$((…))`."""
    waiting = list(node.named_children)
    while waiting:
        child = waiting.pop()
        if child.type in ("command_substitution", "process_substitution"):
            _substituted(shell, child, splits=False)
        else:
            waiting += child.named_children


def _expanded(shell: Shell, node: Node, *, splits: bool) -> Piece:  # noqa: C901 - one a form
    text = shell.tree.text(node)
    names = [child for child in node.named_children if child.type.endswith("variable_name")]
    names += [one for child in node.named_children if child.type == "subscript" for one in child.named_children[:1]]
    if not names:
        follow_within(shell, node)
        for inner in shell.tree.backticked(node):
            shell.script(inner)
        return Piece(text, known=False, splits=splits)
    name = shell.tree.text(names[0])
    operators = [shell.tree.text(one) for one in node.children if one.type not in ("${", "}", "$") and not one.is_named]
    operands = []
    place = next(
        (shell.tree.text(child.named_children[-1]) for child in node.named_children if child.type == "subscript"), ""
    )
    splits = splits or place in ("@", "*") or name == "@"
    for child in node.named_children:
        if child not in names and child.type != "subscript":
            operands.append(text_of(shell, child))
            if child.type in ("word", "regex"):
                for inner in shell.tree.backticked(child):
                    shell.script(inner)
    if node.type == "simple_expansion" or not operators or operators[0] not in ("#", "!") or operands:
        shell.variables.add(name)
    value = shell.state.value(name)
    if value is not None and value.known and place.isdigit():
        parts = value.text.split()
        value = Word(parts[int(place)]) if int(place[:4]) < len(parts) else Word("")
    operator = operators[0] if operators else ""
    if operator.lstrip(":") in ("-", "=", "?", "+") and operator:
        return _defaulted(text, operator, value, operands, splits=splits)
    if operator == "!" and value is not None and value.known:
        value = shell.state.value(value.text)
        operator = ""
    if value is None or not value.known:
        source = value.source if value is not None else None
        shown = value.text if value is not None and not operator else text
        return Piece(shown, known=False, splits=splits, source=source)
    made = operated(value.text, operator, [one.text for one in operands])
    return Piece(text, known=False, splits=splits) if made is None else Piece(made, splits=splits)


def _defaulted(text: str, operator: str, value: Word | None, operands: list[Word], *, splits: bool) -> Piece:
    """Read `${X:-y}`: `y` where the script sets no X."""
    default = operands[0] if operands else Word("")
    chosen = default if operator.endswith("+") or value is None or (value.known and not value.text) else value
    return Piece(chosen.text if chosen.known else text, chosen.known, splits=splits, source=chosen.source)


def _substituted(shell: Shell, node: Node, *, splits: bool) -> Piece:
    text = shell.tree.text(node)
    written = shell.substituted(node)
    if written is None:
        return Piece(text, known=False)
    if node.type == "process_substitution":
        shell.state.files[text] = written
        return Piece(text, source=written if written.text is None else None)
    if written.text is None:
        return Piece(text, known=False, splits=splits, source=written)
    return Piece(written.text.rstrip("\n"), splits=splits, source=written if written.decoded else None)
