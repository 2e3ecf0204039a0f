"""What a script would do, followed without running it: variables, folders, functions, pipes, files."""

import posixpath
from dataclasses import dataclass, field

from tree_sitter import Node

from bot.risk import endless_loops
from bot.risk.execution import MOST_CALLS, SHADOWED, Fed, run
from bot.risk.pipe_output import UNSEEN, either, origin, together
from bot.risk.shell_expansion import MOST_TEXT, joined, unmarked
from bot.risk.shell_parser import MOST_SOURCE, Call, Redirect, Stream, Tree, Word, arguments
from bot.risk.shell_state import State
from bot.risk.shell_words import follow_within, parts_of, text_of, words_of
from bot.risk.warning_kinds import Kind, Warning  # noqa: A004 - it is one

MOST_READ = 3 * MOST_SOURCE
"""Characters of scripts, each within another counted again."""
MOST_PIPES = 4_000
"""Beyond, the parser would take a square of time where something is wrong."""
MOST_STEPS = 30_000
"""Nodes that are followed, those of a function each time that it is called."""
DEEPEST = 12
"""A script in a script in a script…; beyond that it is called unreadable."""
DEEPEST_NODE = 60
MOST_BESIDE = 20
"""Programs of one pipeline that may read the file which it writes."""
_OF_DOCUMENT = frozenset({"heredoc_start", "heredoc_body", "heredoc_end", "file_descriptor"})
_WORDS = frozenset(
    {
        *("word", "string", "raw_string", "concatenation", "simple_expansion", "expansion", "command_substitution"),
        *("ansi_c_string", "translated_string", "process_substitution", "arithmetic_expansion", "number"),
        *("brace_expression", "extglob_pattern", "regex"),
    }
)


@dataclass(frozen=True, slots=True)
class Replaced:
    """A file that loses what it held."""

    file: Word
    by: Stream
    beside: tuple[Call, ...]
    """The programs of the same pipeline, which run when it is already empty."""
    folders: tuple[str, ...] = ("",)
    feeds_itself: bool = False
    """Whether it is also what is read: `sort < f > f`."""


@dataclass(slots=True)
class Interpreter:
    """Follows a script; what it sees is gathered in its lists."""

    calls: list[Call] = field(default_factory=list)
    redirects: list[Redirect] = field(default_factory=list)
    replaced: list[Replaced] = field(default_factory=list)
    fed: list[Fed] = field(default_factory=list)
    assigned: list[tuple[str, Word]] = field(default_factory=list)
    looped: list[Word] = field(default_factory=list)
    variables: set[str] = field(default_factory=set)
    """The variables that are read."""
    noticed: set[Warning] = field(default_factory=set)
    understood: bool = True
    state: State = field(default_factory=State)
    _tree: Tree | None = None
    _left: int = MOST_READ
    _steps: int = MOST_STEPS
    _depth: int = 0
    _nodes: int = 0
    away: bool = False
    running: list[str] = field(default_factory=list)
    _more: dict[int, list[Node]] = field(default_factory=dict)
    """The arguments of a command, by its node, that stand behind a redirect."""
    beside: list[Call] = field(default_factory=list)
    """The programs of the pipeline that is followed."""

    def script(self, source: str, stdin: Stream | None = None) -> Stream:
        """Follow a script; gives what it writes."""
        if len(source) > MOST_SOURCE:
            self.understood = False
            source = source[:MOST_SOURCE]
        self._left -= len(source)
        too_much = self._left < 0 or len(self.calls) > MOST_CALLS or source.count("|") > MOST_PIPES
        if self._depth >= DEEPEST or too_much:
            self.understood = False
            return UNSEEN
        around, nodes, self._nodes = self._tree, self._nodes, 0
        self._tree = Tree(source)
        self._depth += 1
        self.understood = self.understood and not self.tree.root.has_error and not self.tree.continues
        written = self._run(self.tree.root, stdin)
        self._depth -= 1
        self._tree, self._nodes = around, nodes
        return written

    @property
    def tree(self) -> Tree:
        assert self._tree is not None  # noqa: S101 - nodes are only met in a script
        return self._tree

    def body(self, tree: Tree, body: Node, stdin: Stream | None) -> Stream:
        """Follow the body of a function, in the tree that it stands in."""
        around, self._tree = self._tree, tree
        written = self._run(body, stdin)
        self._tree = around
        return written

    def substituted(self, node: Node) -> Stream | None:
        """Follow what stands in `$(…)` or `<(…)`; None: it stands too deep."""
        if self._nodes >= DEEPEST_NODE:
            self.understood = False
            return None
        folders, beside = self.state.folders, self.beside
        self.beside = []
        inner = node.named_children
        if len(inner) == 1 and inner[0].type == "file_redirect":  # $(<file)
            written = self._fed(inner[0], None) or UNSEEN
        else:
            written = self._all(inner, UNSEEN if self.tree.text(node).startswith(">(") else None)
        self.state.stand_in(folders)
        self.beside = beside  # `echo "$(cat f)" > f` reads f before it is emptied
        return written

    # What the nodes of the tree do.

    def _run(self, node: Node, stdin: Stream | None) -> Stream:  # noqa: C901, PLR0911, PLR0912 - one a kind of node
        self._steps -= 1
        if self._nodes >= DEEPEST_NODE or self._steps < 0:
            self.understood = False
            return UNSEEN
        self._nodes += 1
        try:
            match node.type:
                case "command" | "declaration_command" | "unset_command" | "test_command":
                    return self._command(node, stdin)
                case "list":
                    return self._follow(_steps(node), stdin)
                case "pipeline":
                    return self._pipeline(node.named_children, stdin)
                case "redirected_statement":
                    return self._redirected(node, stdin)
                case "variable_assignment":
                    self._assign(node)
                    return Stream("")
                case "for_statement":
                    self._loop(node)
                case "c_style_for_statement":
                    self._notice_endless(node)
                case "function_definition":
                    return self._define(node)
                case "subshell":
                    before = self.state.folders
                    written = self._all(node.named_children, stdin)
                    self.state.stand_in(before)
                    return written
                case "while_statement":
                    self._notice_endless(node)
                case kind if kind in _WORDS:
                    words_of(self, node)
                    return Stream("")
                case "heredoc_body" | "comment":
                    return Stream("")
            if self.tree.is_misread(node):
                self.understood = False
            return self._all(node.named_children, stdin)
        finally:
            self._nodes -= 1

    def _all(self, nodes: list[Node], stdin: Stream | None) -> Stream:
        """Follow one statement after another; what they write comes together."""
        written = Stream("")
        for node in nodes:
            written = together(written, self._statement(node, stdin))
            self.state.settle()
        return written

    def _follow(self, steps: list[tuple[Node, str]], stdin: Stream | None) -> Stream:
        written = Stream("")
        for step, operator in steps:
            written = together(written, self._statement(step, stdin))
            if operator == "&&":
                self.state.arrived()  # had the `cd` failed, what follows would not run
            else:
                self.state.settle()
        return written

    def _statement(self, node: Node, stdin: Stream | None) -> Stream:
        """Follow what has a pipeline of its own."""
        beside, self.beside = self.beside, []
        written = self._run(node, stdin)
        self.beside = beside
        return written

    def _pipeline(self, stages: list[Node], stdin: Stream | None) -> Stream:
        for stage in stages:
            stdin = self._run(stage, stdin)
        return stdin or UNSEEN

    def _redirected(self, node: Node, stdin: Stream | None) -> Stream:
        body = node.child_by_field_name("body")
        redirects = [child for child in node.named_children if child.type.endswith("_redirect")]
        if body is None or body.type != "list":
            return self._with(redirects, body, stdin)
        *before, (last, _) = _steps(body)  # to a shell, the redirect is the last command's
        return together(self._follow(before, stdin), self._with(redirects, last, stdin))

    def _with(self, redirects: list[Node], body: Node | None, stdin: Stream | None) -> Stream:
        """Follow a command with its redirects."""
        fed, following, more = stdin, list[Node](), list[Node]()
        for redirect in redirects:
            fed = self._fed(redirect, fed)
            behind = _behind_target(redirect)
            more += [child for child in behind if child.type in _WORDS]
            following += [child for child in behind if child.type not in _WORDS]
        taker = body.named_children[-1] if body is not None and body.type == "pipeline" else body
        if taker is not None and more:  # `rm > x -rf src`: the parser takes the rest of the words for the redirect's
            self._more[taker.id] = more
        written = Stream("")
        if body is not None and body.type == "pipeline" and fed is not stdin:
            *stages, last = body.named_children
            self._pipeline(stages, stdin)
            written = self._run(last, fed)
        elif body is not None:
            written = self._run(body, fed)
        for child in following:  # `cat <<E | sh`: what follows stands in the redirect
            if child.type == "pipeline":
                written = self._pipeline(child.named_children, written)
            elif child.type.endswith("_redirect"):
                self._fed(child, None)
                redirects.append(child)
            else:
                self._run(child, None)
        if taker is not None:
            self._more.pop(taker.id, None)
        return self._kept(redirects, written)

    def _fed(self, redirect: Node, stdin: Stream | None) -> Stream | None:
        """Say what a redirect gives to read."""
        match redirect.type:
            case "herestring_redirect":
                word = text_of(self, redirect.named_children[-1])
                return Stream(word.text + "\n" if word.known else None, *origin(word))
            case "heredoc_redirect":
                if any(self.tree.is_misread(child) for child in redirect.children):
                    self.understood = False
                return self._document(redirect)
        if self.tree.is_misread(redirect):
            self.understood = False
        operator, target = self._target(redirect)
        self.redirects.append(Redirect(operator, target, self.state.folders))
        if operator in ("<", "<>", "<&"):
            return self.state.file(target.text) or Stream(file=target.text)
        return stdin

    def _target(self, redirect: Node) -> tuple[str, Word]:
        operator = next((self.tree.text(child) for child in redirect.children if not child.is_named), "")
        targets = [child for child in redirect.named_children if child.type != "file_descriptor"]
        return operator, text_of(self, targets[0]) if targets else Word("", known=False)

    def _kept(self, redirects: list[Node], written: Stream) -> Stream:
        """Remember what goes into a file instead of into the pipe."""
        named = [(redirect, *self._target(redirect)) for redirect in redirects if redirect.type == "file_redirect"]
        read = {posixpath.normpath(target.text) for _, operator, target in named if operator == "<"}
        for redirect, operator, target in named:
            number = next((self.tree.text(one) for one in redirect.named_children if one.type == "file_descriptor"), "")
            if target.text in ("/dev/stdout", "/dev/fd/1"):
                continue
            if ">" in operator and number in ("", "1") and "&" not in operator[1:]:
                before = self.state.files.get(target.text, Stream("")) if operator == ">>" else Stream("")
                if operator == ">>" and written.maker is not None and target.text in written.maker.texts[1:]:
                    self.noticed.add(Warning(Kind.EXHAUSTS, f"{written.maker} >> {target}"))
                if operator != ">>":
                    self.replace_file(target, written, feeds_itself=posixpath.normpath(target.text) in read)
                if written.endless:
                    self.noticed.add(Warning(Kind.EXHAUSTS, f"{written.maker} → {target}"))
                self.state.keep(target.text, together(before, written))
                written = Stream("")
        return written

    def replace_file(self, file: Word, by: Stream, *, feeds_itself: bool = False) -> None:
        beside = tuple(self.beside[-MOST_BESIDE:])
        self.replaced.append(Replaced(file, by, beside, self.state.folders, feeds_itself))

    def _document(self, redirect: Node) -> Stream:
        body = next((child for child in redirect.named_children if child.type == "heredoc_body"), None)
        start = next((child for child in redirect.named_children if child.type == "heredoc_start"), None)
        if body is None:
            return Stream("")
        if start is not None and set(self.tree.text(start)) & set("'\"\\"):
            return Stream(self.tree.text(body))
        for inner in self.tree.backticked(body):
            self.script(inner)
        word = unmarked(joined(parts_of(self, body, body.start_byte, body.end_byte)))
        return Stream(word.text, *origin(word)) if word.known else Stream(None, *origin(word))

    def _loop(self, node: Node) -> None:
        name = node.child_by_field_name("variable")
        values = [word for child in node.children_by_field_name("value") for word in words_of(self, child)]
        self.looped += values
        if name is not None:
            self.state.set_each(self.tree.text(name), values)

    def _define(self, node: Node) -> Stream:
        name, body = node.child_by_field_name("name"), node.child_by_field_name("body")
        if name is None or body is None:
            return UNSEEN
        called = self.tree.text(name)
        if called in SHADOWED:
            self.noticed.add(Warning(Kind.INFLUENCES, f"{called}()"))
        self.state.functions[called] = (self.tree, body)
        self.running.append(called)
        folders = self.state.folders
        self._run(body, None)
        self.state.stand_in(folders)
        self.running.pop()
        return Stream("")

    def _notice_endless(self, node: Node) -> None:
        if endless_loops.is_endless(self.tree, node):
            self.noticed.add(Warning(Kind.EXHAUSTS, self.tree.text(node)))

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
            word = Word(text[:MOST_TEXT], before.known and word.known, word.source or before.source)
        self.assigned.append((called, word))
        self.state.set(called, word)
        return called, word

    def _command(self, node: Node, stdin: Stream | None) -> Stream:
        if node.type == "test_command":
            follow_within(self, node)
            return Stream("")
        redirects = [child for child in node.named_children if child.type.endswith("_redirect")]
        for redirect in redirects:
            stdin = self._fed(redirect, stdin)
        if node.type == "command":
            for child in node.named_children:
                if child.type == "variable_assignment":
                    self._assign(child)
        state = self.state
        variant, widest = state.variant, state.widest
        state.variant, state.widest = 0, 1
        written = self._called(node, stdin)
        tried = 1
        while tried < state.widest and len(self.calls) <= MOST_CALLS:
            state.variant = tried
            written = either(written, self._called(node, stdin))
            tried += 1
        state.variant, state.widest = variant, max(widest, state.widest)
        return self._kept(redirects, written) if redirects else written

    def _called(self, node: Node, stdin: Stream | None) -> Stream:
        words: list[Word] = []
        for child in arguments(node):
            if child.type == "variable_assignment":
                name, word = self._assign(child)
                words.append(Word(f"{name}={word.text}", word.known, word.source))
            elif not child.is_named or child.type == "variable_name":
                words.append(Word(self.tree.text(child)))
            else:
                words += words_of(self, child)
        for child in self._more.get(node.id, ()):
            words += words_of(self, child)
        return run(self, tuple(words), stdin) if words else Stream("")


def _steps(node: Node) -> list[tuple[Node, str]]:
    """Take `a && b || c` apart, which the parser nests as deep as it is long: each step with what stands behind it."""
    steps: list[tuple[Node, str]] = []
    behind = ""
    while node.type == "list":
        left, operator, right = node.children[0], node.children[1].type, node.children[-1]
        steps.append((right, behind))
        behind, node = operator, left
    return [(node, behind), *reversed(steps)]


def _behind_target(redirect: Node) -> list[Node]:
    """Name what the parser takes for a part of a redirect, though it stands behind its target."""
    match redirect.type:
        case "heredoc_redirect":
            return [child for child in redirect.named_children if child.type not in _OF_DOCUMENT]
        case "file_redirect":
            return [child for child in redirect.named_children if child.type != "file_descriptor"][1:]
    return []
