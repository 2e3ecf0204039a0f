"""Expands the words of a command as a shell would: quotes, variables, `${…}` and `$(…)`."""

import re
from collections.abc import Iterator
from fnmatch import fnmatchcase
from typing import Protocol

from tree_sitter import Node

from bot.risk.shell_parser import SyntaxTree
from bot.risk.shell_state import ShellState
from bot.risk.shell_types import PipeStream, Word
from bot.risk.warning_kinds import RiskWarning, WarningKind
from bot.risk.word_splitting import WordPiece, fields, joined, marked, unmarked

MAX_DIGITS = 5
"""Digits of the longest plausible range, `{1..99999}`."""
MAX_CUT = 500
"""Maximum length of a value that patterns are matched against, because each place is tried: quadratic time."""


class WordInterpreter(Protocol):
    """Follows the scripts within words and knows the variables."""

    state: ShellState
    warnings: set[RiskWarning]
    variables: set[str]

    @property
    def tree(self) -> SyntaxTree: ...
    def follow_script(self, source: str, stdin: PipeStream | None = None) -> PipeStream: ...
    def follow_substitution(self, node: Node) -> PipeStream | None: ...


def words_of(shell: WordInterpreter, node: Node) -> list[Word]:
    separators = shell.state.value("IFS") if "IFS" in shell.state.values else None
    return fields(_pieces(shell, node), separators.text if separators else None)


def text_of(shell: WordInterpreter, node: Node) -> Word:
    """Expand a word in a place where a shell would not split it."""
    return unmarked(joined(_pieces(shell, node)))


def _pieces(shell: WordInterpreter, node: Node, *, quoted: bool = False) -> Iterator[WordPiece]:  # noqa: C901 - one per kind of node
    match node.type:
        case "string" | "translated_string":
            start = node.start_byte + shell.tree.source[node.start_byte : node.end_byte].find(b'"') + 1
            yield from parts_of(shell, node, start, max(start, node.end_byte - 1))
        case "concatenation" | "command_name":
            for child in node.children:
                yield from _pieces(shell, child, quoted=quoted)
        case "simple_expansion" | "expansion":
            yield _expand(shell, node, splits=not quoted)
        case "command_substitution" | "process_substitution":
            yield _substitute(shell, node, splits=not quoted)
        case "brace_expression":
            text = shell.tree.text(node)
            if max(map(len, text.strip("{}").split(".."))) > MAX_DIGITS:
                shell.warnings.add(RiskWarning(WarningKind.EXHAUSTS, text))
            yield WordPiece(marked(text))
        case _:
            literal = shell.tree.literal(node)
            if literal is None:
                follow_substitutions(shell, node)
                yield WordPiece(shell.tree.text(node), known=False)
            else:
                bare = node.type in ("word", "number", "extglob_pattern") or not node.is_named
                if bare and "`" in literal:
                    for inner in shell.tree.backticked(node):
                        shell.follow_script(inner)
                yield WordPiece(marked(literal) if bare and "\\" not in shell.tree.text(node) else literal)


def parts_of(shell: WordInterpreter, node: Node, start: int, end: int) -> Iterator[WordPiece]:
    for part in shell.tree.parts(node, start, end):
        if isinstance(part, str):
            yield WordPiece(part)
        else:
            yield from _pieces(shell, part, quoted=True)


def follow_substitutions(shell: WordInterpreter, node: Node) -> None:
    """Follow the substitutions inside a node that is not followed itself: `$((…))`."""
    waiting = list(node.named_children)
    while waiting:
        child = waiting.pop()
        if child.type in ("command_substitution", "process_substitution"):
            _substitute(shell, child, splits=False)
        else:
            waiting += child.named_children


def _expand(shell: WordInterpreter, node: Node, *, splits: bool) -> WordPiece:  # noqa: C901 - one per form
    text = shell.tree.text(node)
    names = [child for child in node.named_children if child.type.endswith("variable_name")]
    names += [one for child in node.named_children if child.type == "subscript" for one in child.named_children[:1]]
    if not names:
        follow_substitutions(shell, node)
        for inner in shell.tree.backticked(node):
            shell.follow_script(inner)
        return WordPiece(text, known=False, splits=splits)
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
                    shell.follow_script(inner)
    if node.type == "simple_expansion" or not operators or operators[0] not in ("#", "!") or operands:
        shell.variables.add(name)
    value = shell.state.value(name)
    if value is not None and value.known and place.isdigit():
        parts = value.text.split()
        value = Word(parts[int(place)]) if int(place[:4]) < len(parts) else Word("")
    operator = operators[0] if operators else ""
    if operator.lstrip(":") in ("-", "=", "?", "+") and operator:
        return _expand_default(text, operator, value, operands, splits=splits)
    if operator == "!" and value is not None and value.known:
        value = shell.state.value(value.text)
        operator = ""
    if value is None or not value.known:
        source = value.source if value is not None else None
        shown = value.text if value is not None and not operator else text
        return WordPiece(shown, known=False, splits=splits, source=source)
    made = apply_operator(value.text, operator, [one.text for one in operands])
    return WordPiece(text, known=False, splits=splits) if made is None else WordPiece(made, splits=splits)


def _expand_default(text: str, operator: str, value: Word | None, operands: list[Word], *, splits: bool) -> WordPiece:
    """Expand `${X:-y}`: `y` if the script sets no X."""
    default = operands[0] if operands else Word("")
    chosen = default if operator.endswith("+") or value is None or (value.known and not value.text) else value
    return WordPiece(chosen.text if chosen.known else text, chosen.known, splits=splits, source=chosen.source)


def _substitute(shell: WordInterpreter, node: Node, *, splits: bool) -> WordPiece:
    text = shell.tree.text(node)
    written = shell.follow_substitution(node)
    if written is None:
        return WordPiece(text, known=False)
    if node.type == "process_substitution":
        shell.state.files[text] = written
        return WordPiece(text, source=written if written.text is None else None)
    if written.text is None:
        return WordPiece(text, known=False, splits=splits, source=written)
    return WordPiece(written.text.rstrip("\n"), splits=splits, source=written if written.decoded else None)


def apply_operator(value: str, operator: str, operands: list[str]) -> str | None:  # noqa: C901, PLR0911 - one per operator
    """Apply the operator of a `${…}` to a value; None if it is not supported."""
    first = operands[0] if operands else ""
    if operator in ("#", "##", "%", "%%", "/", "//", "/#", "/%") and len(value) > MAX_CUT:
        return None
    match operator:
        case "":
            return value
        case ":":
            numbers = [int(one) if re.fullmatch(r"\s*-?\d{1,6}", one) else None for one in operands[:2]]
            if not numbers or None in numbers:
                return None
            start, length = numbers[0] or 0, numbers[1] if len(numbers) > 1 else None
            tail = value[start:]
            return tail if length is None else tail[:length]
        case "^^" | ",,":
            return value.upper() if operator == "^^" else value.lower()
        case "^" | ",":
            return (value[:1].upper() if operator == "^" else value[:1].lower()) + value[1:]
        case "#" | "##":
            ends = range(len(value) + 1) if operator == "#" else range(len(value), -1, -1)
            return next((value[end:] for end in ends if fnmatchcase(value[:end], first)), value)
        case "%" | "%%":
            starts = range(len(value), -1, -1) if operator == "%" else range(len(value) + 1)
            return next((value[:start] for start in starts if fnmatchcase(value[start:], first)), value)
        case "/" | "//" | "/#" | "/%":
            other = operands[1] if len(operands) > 1 else ""
            if set(first) & set("*?[") or not first:
                return None
            return value.replace(first, other) if operator == "//" else value.replace(first, other, 1)
    return None
