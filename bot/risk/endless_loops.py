"""Finds loops that never end."""

from collections.abc import Iterator

from tree_sitter import Node

from bot.risk.shell_parser import SyntaxTree

MAX_LOOP = 2_000
"""Number of nodes of a loop that are searched for a pause."""
_ENDLESS = frozenset({"true", ":", "false", "[ 1 ]", "[[ 1 ]]", "((1))", "1", "! false"})
_PAUSES = frozenset({"sleep", "break", "read", "wait", "exit", "return", "inotifywait", "timeout", "kill"})


def is_endless(tree: SyntaxTree, node: Node) -> bool:
    """Check whether a loop runs forever without a pause."""
    condition = node.child_by_field_name("condition")
    if node.type == "while_statement" and (condition is None or tree.text(condition) not in _ENDLESS):
        return False
    if node.type == "c_style_for_statement" and condition is not None:
        return False
    kinds = {child.type for child in _below(node, MAX_LOOP)}
    words = {tree.text(child) for child in _below(node, MAX_LOOP) if child.type == "command_name"}
    return "&" in kinds or not words & _PAUSES


def _below(node: Node, most: int) -> Iterator[Node]:
    """Yield the nodes below a node."""
    waiting = [node]
    for _ in range(most):
        if not waiting:
            return
        child = waiting.pop()
        yield child
        waiting += child.children
