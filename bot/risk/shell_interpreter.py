"""Follows a shell script without running it: variables, folders, functions, pipes, files."""

from dataclasses import dataclass, field

from tree_sitter import Node

from bot.risk import endless_loops
from bot.risk.call_interpreter import MAX_CALLS, SHADOWED, UnseenCode, follow_call
from bot.risk.shell_parser import SyntaxTree, arguments
from bot.risk.shell_redirects import ReplacedFile, nodes_after_target, stdin_from, write_files
from bot.risk.shell_state import ShellState
from bot.risk.shell_types import (
    MAX_SOURCE,
    UNKNOWN_STREAM,
    PipeStream,
    ProgramCall,
    Redirect,
    Word,
    concatenate,
    one_of,
)
from bot.risk.warning_kinds import RiskWarning, WarningKind
from bot.risk.word_expansion import follow_substitutions, text_of, words_of
from bot.risk.word_splitting import MAX_TEXT

MAX_READ = 3 * MAX_SOURCE
"""Total number of characters of all scripts, including nested ones."""
MAX_PIPES = 4_000
"""With more, the parser would take quadratic time on syntax errors."""
MAX_STEPS = 30_000
"""Number of nodes that are followed; those of a function count for each call."""
MAX_DEPTH = 12
"""Nesting of scripts; a deeper one counts as unreadable."""
MAX_NODE_DEPTH = 60
_WORDS = frozenset(
    {
        *("word", "string", "raw_string", "concatenation", "simple_expansion", "expansion", "command_substitution"),
        *("ansi_c_string", "translated_string", "process_substitution", "arithmetic_expansion", "number"),
        *("brace_expression", "extglob_pattern", "regex"),
    }
)


@dataclass(slots=True)
class ShellInterpreter:
    """Follows a script and collects what it finds."""

    calls: list[ProgramCall] = field(default_factory=list)
    redirects: list[Redirect] = field(default_factory=list)
    replaced_files: list[ReplacedFile] = field(default_factory=list)
    unseen_code: list[UnseenCode] = field(default_factory=list)
    assignments: list[tuple[str, Word]] = field(default_factory=list)
    loop_values: list[Word] = field(default_factory=list)
    variables: set[str] = field(default_factory=set)
    """The variables that the script reads."""
    warnings: set[RiskWarning] = field(default_factory=set)
    understood: bool = True
    state: ShellState = field(default_factory=ShellState)
    _tree: SyntaxTree | None = None
    _unread: int = MAX_READ
    _steps: int = MAX_STEPS
    _depth: int = 0
    _nodes: int = 0
    away: bool = False
    running: list[str] = field(default_factory=list)
    _trailing_words: dict[int, list[Node]] = field(default_factory=dict)
    """The arguments after a redirect, by the node of their command."""
    pipeline: list[ProgramCall] = field(default_factory=list)
    """The programs of the current pipeline."""

    def follow_script(self, source: str, stdin: PipeStream | None = None) -> PipeStream:
        """Follow a script; return its output."""
        if len(source) > MAX_SOURCE:
            self.understood = False
            source = source[:MAX_SOURCE]
        self._unread -= len(source)
        too_much = self._unread < 0 or len(self.calls) > MAX_CALLS or source.count("|") > MAX_PIPES
        if self._depth >= MAX_DEPTH or too_much:
            self.understood = False
            return UNKNOWN_STREAM
        around, nodes, self._nodes = self._tree, self._nodes, 0
        self._tree = SyntaxTree(source)
        self._depth += 1
        self.understood = self.understood and not self.tree.root.has_error and not self.tree.continues
        written = self._node(self.tree.root, stdin)
        self._depth -= 1
        self._tree, self._nodes = around, nodes
        return written

    @property
    def tree(self) -> SyntaxTree:
        assert self._tree is not None  # noqa: S101 - there are nodes only in a script
        return self._tree

    def follow_function(self, tree: SyntaxTree, body: Node, stdin: PipeStream | None) -> PipeStream:
        """Follow the body of a function in its own tree; return its output."""
        around, self._tree = self._tree, tree
        written = self._node(body, stdin)
        self._tree = around
        return written

    def follow_substitution(self, node: Node) -> PipeStream | None:
        """Follow the commands in `$(…)` or `<(…)`; return their output, or None if nested too deeply."""
        if self._nodes >= MAX_NODE_DEPTH:
            self.understood = False
            return None
        folders, pipeline = self.state.folders, self.pipeline
        self.pipeline = []
        inner = node.named_children
        if len(inner) == 1 and inner[0].type == "file_redirect":  # $(<file)
            written = stdin_from(self, inner[0], None) or UNKNOWN_STREAM
        else:
            written = self._statements(inner, UNKNOWN_STREAM if self.tree.text(node).startswith(">(") else None)
        self.state.return_to(folders)
        self.pipeline = pipeline  # `echo "$(cat f)" > f` reads f before it is emptied
        return written

    # One method per kind of node.

    def _node(self, node: Node, stdin: PipeStream | None) -> PipeStream:  # noqa: C901, PLR0911, PLR0912 - one per kind of node
        self._steps -= 1
        if self._nodes >= MAX_NODE_DEPTH or self._steps < 0:
            self.understood = False
            return UNKNOWN_STREAM
        self._nodes += 1
        try:
            match node.type:
                case "command" | "declaration_command" | "unset_command" | "test_command":
                    return self._command(node, stdin)
                case "list":
                    return self._list(_steps(node), stdin)
                case "pipeline":
                    return self._pipeline(node.named_children, stdin)
                case "redirected_statement":
                    return self._redirected(node, stdin)
                case "variable_assignment":
                    self._assign(node)
                    return PipeStream("")
                case "for_statement":
                    self._loop(node)
                case "c_style_for_statement":
                    self._warn_if_endless(node)
                case "function_definition":
                    return self._define(node)
                case "subshell":
                    before = self.state.folders
                    written = self._statements(node.named_children, stdin)
                    self.state.return_to(before)
                    return written
                case "while_statement":
                    self._warn_if_endless(node)
                case kind if kind in _WORDS:
                    words_of(self, node)
                    return PipeStream("")
                case "heredoc_body" | "comment":
                    return PipeStream("")
            if self.tree.is_misread(node):
                self.understood = False
            return self._statements(node.named_children, stdin)
        finally:
            self._nodes -= 1

    def _statements(self, nodes: list[Node], stdin: PipeStream | None) -> PipeStream:
        """Follow statements one after another; return their joined output."""
        written = PipeStream("")
        for node in nodes:
            written = concatenate(written, self._statement(node, stdin))
            self.state.allow_for_failed_cd()
        return written

    def _list(self, steps: list[tuple[Node, str]], stdin: PipeStream | None) -> PipeStream:
        written = PipeStream("")
        for step, operator in steps:
            written = concatenate(written, self._statement(step, stdin))
            if operator == "&&":
                self.state.cd_succeeded()  # if the `cd` failed, the next step would not run
            else:
                self.state.allow_for_failed_cd()
        return written

    def _statement(self, node: Node, stdin: PipeStream | None) -> PipeStream:
        """Follow a statement with its own pipeline."""
        pipeline, self.pipeline = self.pipeline, []
        written = self._node(node, stdin)
        self.pipeline = pipeline
        return written

    def _pipeline(self, stages: list[Node], stdin: PipeStream | None) -> PipeStream:
        for stage in stages:
            stdin = self._node(stage, stdin)
        return stdin or UNKNOWN_STREAM

    def _redirected(self, node: Node, stdin: PipeStream | None) -> PipeStream:
        body = node.child_by_field_name("body")
        redirects = [child for child in node.named_children if child.type.endswith("_redirect")]
        if body is None or body.type != "list":
            return self._with_redirects(redirects, body, stdin)
        *before, (last, _) = _steps(body)  # a shell applies the redirect to the last command
        return concatenate(self._list(before, stdin), self._with_redirects(redirects, last, stdin))

    def _with_redirects(self, redirects: list[Node], body: Node | None, stdin: PipeStream | None) -> PipeStream:
        """Follow a command with its redirects; return its output."""
        fed, following, more = stdin, list[Node](), list[Node]()
        for redirect in redirects:
            fed = stdin_from(self, redirect, fed)
            behind = nodes_after_target(redirect)
            more += [child for child in behind if child.type in _WORDS]
            following += [child for child in behind if child.type not in _WORDS]
        taker = body.named_children[-1] if body is not None and body.type == "pipeline" else body
        if taker is not None and more:  # `rm > x -rf src`: the parser puts the other words into the redirect
            self._trailing_words[taker.id] = more
        written = PipeStream("")
        if body is not None and body.type == "pipeline" and fed is not stdin:
            *stages, last = body.named_children
            self._pipeline(stages, stdin)
            written = self._node(last, fed)
        elif body is not None:
            written = self._node(body, fed)
        for child in following:  # `cat <<E | sh`: the parser puts the pipeline into the redirect
            if child.type == "pipeline":
                written = self._pipeline(child.named_children, written)
            elif child.type.endswith("_redirect"):
                stdin_from(self, child, None)
                redirects.append(child)
            else:
                self._node(child, None)
        if taker is not None:
            self._trailing_words.pop(taker.id, None)
        return write_files(self, redirects, written)

    def _loop(self, node: Node) -> None:
        name = node.child_by_field_name("variable")
        values = [word for child in node.children_by_field_name("value") for word in words_of(self, child)]
        self.loop_values += values
        if name is not None:
            self.state.set_each(self.tree.text(name), values)

    def _define(self, node: Node) -> PipeStream:
        name, body = node.child_by_field_name("name"), node.child_by_field_name("body")
        if name is None or body is None:
            return UNKNOWN_STREAM
        called = self.tree.text(name)
        if called in SHADOWED:
            self.warnings.add(RiskWarning(WarningKind.INFLUENCES, f"{called}()"))
        self.state.functions[called] = (self.tree, body)
        self.running.append(called)
        folders = self.state.folders
        self._node(body, None)
        self.state.return_to(folders)
        self.running.pop()
        return PipeStream("")

    def _warn_if_endless(self, node: Node) -> None:
        if endless_loops.is_endless(self.tree, node):
            self.warnings.add(RiskWarning(WarningKind.EXHAUSTS, self.tree.text(node)))

    def _assign(self, node: Node) -> tuple[str, Word]:
        name, value = node.child_by_field_name("name"), node.child_by_field_name("value")
        called = self.tree.text(name).partition("[")[0] if name is not None else ""
        if value is None:
            word = Word("")
        elif value.type == "array":
            word = Word(" ".join(one.text for child in value.named_children for one in words_of(self, child)))
        else:
            word = text_of(self, value)
        adds = any(self.tree.text(child) == "+=" for child in node.children if not child.is_named)
        in_array = name is not None and name.type == "subscript"
        if adds or in_array:
            before = self.state.values.get(called, (Word(""),))[0]
            text = (
                f"{before.text} {word.text}"
                if in_array or (value is not None and value.type == "array")
                else before.text + word.text
            )
            word = Word(text[:MAX_TEXT], before.known and word.known, word.source or before.source)
        self.assignments.append((called, word))
        self.state.set(called, word)
        return called, word

    def _command(self, node: Node, stdin: PipeStream | None) -> PipeStream:
        if node.type == "test_command":
            follow_substitutions(self, node)
            return PipeStream("")
        redirects = [child for child in node.named_children if child.type.endswith("_redirect")]
        for redirect in redirects:
            stdin = stdin_from(self, redirect, stdin)
        if node.type == "command":
            for child in node.named_children:
                if child.type == "variable_assignment":
                    self._assign(child)
        state = self.state
        variant, widest = state.variant, state.widest
        state.variant, state.widest = 0, 1
        written = self._call(node, stdin)
        tried = 1
        while tried < state.widest and len(self.calls) <= MAX_CALLS:
            state.variant = tried
            written = one_of(written, self._call(node, stdin))
            tried += 1
        state.variant, state.widest = variant, max(widest, state.widest)
        return write_files(self, redirects, written) if redirects else written

    def _call(self, node: Node, stdin: PipeStream | None) -> PipeStream:
        words: list[Word] = []
        for child in arguments(node):
            if child.type == "variable_assignment":
                name, word = self._assign(child)
                words.append(Word(f"{name}={word.text}", word.known, word.source))
            elif not child.is_named or child.type == "variable_name":
                words.append(Word(self.tree.text(child)))
            else:
                words += words_of(self, child)
        for child in self._trailing_words.get(node.id, ()):
            words += words_of(self, child)
        return follow_call(self, tuple(words), stdin) if words else PipeStream("")


def _steps(node: Node) -> list[tuple[Node, str]]:
    """Split `a && b || c`, which the parser nests, into steps, each with the operator after it."""
    steps: list[tuple[Node, str]] = []
    behind = ""
    while node.type == "list":
        left, operator, right = node.children[0], node.children[1].type, node.children[-1]
        steps.append((right, behind))
        behind, node = operator, left
    return [(node, behind), *reversed(steps)]
