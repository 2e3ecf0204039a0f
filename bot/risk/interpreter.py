"""What a script would do, followed without running it: variables, folders, functions, pipes, files."""

from collections.abc import Iterator
from dataclasses import dataclass, field, replace

from tree_sitter import Node

from bot.risk import files
from bot.risk.calls import Runs, calls_of, scripts_of, taken_apart
from bot.risk.expansion import MOST_TEXT, Piece, fields, joined, marked, operated, unmarked
from bot.risk.kinds import Kind, Warning  # noqa: A004 - it is one
from bot.risk.outputs import output
from bot.risk.shell import MOST_SOURCE, Call, Redirect, Stream, Tree, Word, arguments
from bot.risk.state import State
from bot.risk.table import is_assignment

MOST_READ = 3 * MOST_SOURCE
"""Characters of scripts, each within another counted again."""
MOST_CALLS = 10_000
MOST_PIPES = 4_000
"""Beyond, the parser would take a square of time where something is wrong."""
MOST_STEPS = 30_000
"""Nodes that are followed, those of a function each time that it is called."""
DEEPEST = 12
"""A script in a script in a script…; beyond that it is called unreadable."""
DEEPEST_CALL = 8
DEEPEST_NODE = 60
MOST_DIGITS = 5
"""Digits of a range, `{1..99999}`, that somebody may mean."""
UNSEEN = Stream()
MOST_BESIDE = 20
"""Programs of one pipeline that may read the file which it writes."""
MOST_LOOP = 2_000
"""Nodes of a loop among which a pause is looked for."""
_OF_DOCUMENT = frozenset({"heredoc_start", "heredoc_body", "heredoc_end", "file_descriptor"})
_ENDLESS = frozenset({"true", ":", "false", "[ 1 ]", "[[ 1 ]]", "((1))", "1", "! false"})
_PAUSES = frozenset({"sleep", "break", "read", "wait", "exit", "return", "inotifywait", "timeout", "kill"})
_SHADOWED = frozenset(
    {"git", "ls", "cd", "rm", "cat", "npm", "node", "python", "python3", "make", "sudo", "ssh", "curl", "docker"}
)
_WORDS = frozenset(
    {
        *("word", "string", "raw_string", "concatenation", "simple_expansion", "expansion", "command_substitution"),
        *("ansi_c_string", "translated_string", "process_substitution", "arithmetic_expansion", "number"),
        *("brace_expression", "extglob_pattern", "regex"),
    }
)


@dataclass(frozen=True, slots=True)
class Fed:
    """A program that runs as code what it is given, which does not stand in the command."""

    call: Call
    stream: Stream


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
    _away: bool = False
    _running: list[str] = field(default_factory=list)
    _more: dict[int, list[Node]] = field(default_factory=dict)
    """The arguments of a command, by its node, that stand behind a redirect."""
    _beside: list[Call] = field(default_factory=list)
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
                    self._word(node)
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
            written = _together(written, self._statement(node, stdin))
            self.state.settle()
        return written

    def _follow(self, steps: list[tuple[Node, str]], stdin: Stream | None) -> Stream:
        written = Stream("")
        for step, operator in steps:
            written = _together(written, self._statement(step, stdin))
            if operator == "&&":
                self.state.arrived()  # had the `cd` failed, what follows would not run
            else:
                self.state.settle()
        return written

    def _statement(self, node: Node, stdin: Stream | None) -> Stream:
        """Follow what has a pipeline of its own."""
        beside, self._beside = self._beside, []
        written = self._run(node, stdin)
        self._beside = beside
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
        return _together(self._follow(before, stdin), self._with(redirects, last, stdin))

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
                word = self._text(redirect.named_children[-1])
                return Stream(word.text + "\n" if word.known else None, *_origin(word))
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
        return operator, self._text(targets[0]) if targets else Word("", known=False)

    def _kept(self, redirects: list[Node], written: Stream) -> Stream:
        """Remember what goes into a file instead of into the pipe."""
        read = {word.text for operator, word in map(self._target, redirects) if operator == "<"}
        for redirect in redirects:
            if redirect.type != "file_redirect":
                continue
            operator, target = self._target(redirect)
            number = next((self.tree.text(one) for one in redirect.named_children if one.type == "file_descriptor"), "")
            if target.text in ("/dev/stdout", "/dev/fd/1"):
                continue
            if ">" in operator and number in ("", "1") and "&" not in operator[1:]:
                before = self.state.files.get(target.text, Stream("")) if operator == ">>" else Stream("")
                if operator == ">>" and written.maker is not None and target.text in written.maker.texts[1:]:
                    self.noticed.add(Warning(Kind.EXHAUSTS, f"{written.maker} >> {target}"))
                if operator != ">>":
                    self._replace(target, written, feeds_itself=target.text in read)
                if written.endless:
                    self.noticed.add(Warning(Kind.EXHAUSTS, f"{written.maker} → {target}"))
                self.state.keep(target.text, _together(before, written))
                written = Stream("")
        return written

    def _replace(self, file: Word, by: Stream, *, feeds_itself: bool = False) -> None:
        beside = tuple(self._beside[-MOST_BESIDE:])
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
        word = unmarked(joined(self._string(body, body.start_byte, body.end_byte)))
        return Stream(word.text, *_origin(word)) if word.known else Stream(None, *_origin(word))

    def _loop(self, node: Node) -> None:
        name = node.child_by_field_name("variable")
        values = [word for child in node.children_by_field_name("value") for word in self._word(child)]
        self.looped += values
        if name is not None:
            self.state.set_each(self.tree.text(name), values)

    def _define(self, node: Node) -> Stream:
        name, body = node.child_by_field_name("name"), node.child_by_field_name("body")
        if name is None or body is None:
            return UNSEEN
        called = self.tree.text(name)
        if called in _SHADOWED:
            self.noticed.add(Warning(Kind.INFLUENCES, f"{called}()"))
        self.state.functions[called] = (self.tree, body)
        self._running.append(called)
        folders = self.state.folders
        self._run(body, None)
        self.state.stand_in(folders)
        self._running.pop()
        return Stream("")

    def _notice_endless(self, node: Node) -> None:
        condition = node.child_by_field_name("condition")
        if node.type == "while_statement" and (condition is None or self.tree.text(condition) not in _ENDLESS):
            return
        if node.type == "c_style_for_statement" and condition is not None:
            return
        kinds = {child.type for child in _below(node, MOST_LOOP)}
        words = {self.tree.text(child) for child in _below(node, MOST_LOOP) if child.type == "command_name"}
        if "&" in kinds or not words & _PAUSES:
            self.noticed.add(Warning(Kind.EXHAUSTS, self.tree.text(node)))

    def _assign(self, node: Node) -> tuple[str, Word]:
        name, value = node.child_by_field_name("name"), node.child_by_field_name("value")
        called = self.tree.text(name).partition("[")[0] if name is not None else ""
        if value is None:
            word = Word("")
        elif value.type == "array":
            word = Word(" ".join(one.text for child in value.named_children for one in self._word(child)))
        else:
            word = self._text(value)
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

    # Words.

    def _word(self, node: Node) -> list[Word]:
        separators = self.state.value("IFS") if "IFS" in self.state.values else None
        return fields(self._pieces(node), separators.text if separators else None)

    def _text(self, node: Node) -> Word:
        """Read a word where a shell would not split it."""
        return unmarked(joined(self._pieces(node)))

    def _pieces(self, node: Node, *, quoted: bool = False) -> Iterator[Piece]:  # noqa: C901 - one a kind of node
        match node.type:
            case "string" | "translated_string":
                start = node.start_byte + self.tree.source[node.start_byte : node.end_byte].find(b'"') + 1
                yield from self._string(node, start, max(start, node.end_byte - 1))
            case "concatenation" | "command_name":
                for child in node.children:
                    yield from self._pieces(child, quoted=quoted)
            case "simple_expansion" | "expansion":
                yield self._expanded(node, splits=not quoted)
            case "command_substitution" | "process_substitution":
                yield self._substituted(node, splits=not quoted)
            case "brace_expression":
                text = self.tree.text(node)
                if max(map(len, text.strip("{}").split(".."))) > MOST_DIGITS:
                    self.noticed.add(Warning(Kind.EXHAUSTS, text))
                yield Piece(marked(text))
            case _:
                literal = self.tree.literal(node)
                if literal is None:
                    self._within(node)
                    yield Piece(self.tree.text(node), known=False)
                else:
                    bare = node.type in ("word", "number", "extglob_pattern") or not node.is_named
                    if bare and "`" in literal:
                        for inner in self.tree.backticked(node):
                            self.script(inner)
                    yield Piece(marked(literal) if bare and "\\" not in self.tree.text(node) else literal)

    def _string(self, node: Node, start: int, end: int) -> Iterator[Piece]:
        for part in self.tree.parts(node, start, end):
            if isinstance(part, str):
                yield Piece(part)
            else:
                yield from self._pieces(part, quoted=True)

    def _within(self, node: Node) -> None:
        """Follow what runs inside of a node that is not followed itself: `$((…))`."""
        waiting = list(node.named_children)
        while waiting:
            child = waiting.pop()
            if child.type in ("command_substitution", "process_substitution"):
                self._pieces_of(child)
            else:
                waiting += child.named_children

    def _pieces_of(self, node: Node) -> None:
        for _ in self._pieces(node):
            pass

    def _substituted(self, node: Node, *, splits: bool) -> Piece:
        text = self.tree.text(node)
        if self._nodes >= DEEPEST_NODE:
            self.understood = False
            return Piece(text, known=False)
        before = self.state.folders
        beside, self._beside = self._beside, []
        inner = node.named_children
        if len(inner) == 1 and inner[0].type == "file_redirect":  # $(<file)
            written = self._fed(inner[0], None) or UNSEEN
        else:
            written = self._all(inner, UNSEEN if text.startswith(">(") else None)
        self.state.stand_in(before)
        self._beside = beside  # `echo "$(cat f)" > f` reads f before it is emptied
        if node.type == "process_substitution":
            self.state.files[text] = written
            return Piece(text, source=written if written.text is None else None)
        if written.text is None:
            return Piece(text, known=False, splits=splits, source=written)
        return Piece(written.text.rstrip("\n"), splits=splits, source=written if written.decoded else None)

    def _expanded(self, node: Node, *, splits: bool) -> Piece:  # noqa: C901 - one a form
        text = self.tree.text(node)
        names = [child for child in node.named_children if child.type.endswith("variable_name")]
        names += [one for child in node.named_children if child.type == "subscript" for one in child.named_children[:1]]
        if not names:
            self._within(node)
            for inner in self.tree.backticked(node):
                self.script(inner)
            return Piece(text, known=False, splits=splits)
        name = self.tree.text(names[0])
        operators = [
            self.tree.text(one) for one in node.children if one.type not in ("${", "}", "$") and not one.is_named
        ]
        operands = []
        place = next(
            (self.tree.text(child.named_children[-1]) for child in node.named_children if child.type == "subscript"), ""
        )
        splits = splits or place in ("@", "*") or name == "@"
        for child in node.named_children:
            if child not in names and child.type != "subscript":
                operands.append(self._text(child))
                if child.type in ("word", "regex"):
                    for inner in self.tree.backticked(child):
                        self.script(inner)
        if node.type == "simple_expansion" or not operators or operators[0] not in ("#", "!") or operands:
            self.variables.add(name)
        value = self.state.value(name)
        if value is not None and value.known and place.isdigit():
            parts = value.text.split()
            value = Word(parts[int(place)]) if int(place[:4]) < len(parts) else Word("")
        operator = operators[0] if operators else ""
        if operator.lstrip(":") in ("-", "=", "?", "+") and operator:
            return self._defaulted(text, operator, value, operands, splits=splits)
        if operator == "!" and value is not None and value.known:
            value = self.state.value(value.text)
            operator = ""
        if value is None or not value.known:
            source = value.source if value is not None else None
            shown = value.text if value is not None and not operator else text
            return Piece(shown, known=False, splits=splits, source=source)
        made = operated(value.text, operator, [one.text for one in operands])
        return Piece(text, known=False, splits=splits) if made is None else Piece(made, splits=splits)

    def _defaulted(self, text: str, operator: str, value: Word | None, operands: list[Word], *, splits: bool) -> Piece:
        """Read `${X:-y}`: `y` where the script sets no X."""
        default = operands[0] if operands else Word("")
        chosen = default if operator.endswith("+") or value is None or (value.known and not value.text) else value
        return Piece(chosen.text if chosen.known else text, chosen.known, splits=splits, source=chosen.source)

    # Commands.

    def _command(self, node: Node, stdin: Stream | None) -> Stream:
        if node.type == "test_command":
            self._within(node)
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
            written = _either(written, self._called(node, stdin))
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
                words += self._word(child)
        for child in self._more.get(node.id, ()):
            words += self._word(child)
        return self.call(tuple(words), stdin) if words else Stream("")

    def call(self, words: tuple[Word, ...], stdin: Stream | None, *, depth: int = 0) -> Stream:
        """Follow one program with its arguments."""
        if len(self.calls) > MOST_CALLS or depth >= DEEPEST_CALL:
            self.understood = False
            return UNSEEN
        name = words[0].text
        if name in self.state.aliases and depth == 0:
            rest = " ".join(_quoted(word.text) for word in words[1:])
            alias = self.state.aliases.pop(name)  # an alias is not opened within itself
            written = self.script(f"{alias} {rest}", stdin)
            self.state.aliases[name] = alias
            return written
        if name in self.state.functions:
            return self._function(name, words, stdin)
        linked = self.state.links.get(name.removeprefix("./"))
        call = Call((Word(linked), *words[1:]) if linked else words, stdin, self.state.folders, self._away)
        self.calls.append(call)
        if call.program == "tee" and stdin is not None and "-a" not in call.texts:
            for word in call.words[1:]:
                self._replace(word, stdin)
        self._beside.append(call)
        self.state.follow(call)
        if name == "alias":
            shadowed = [text for text in call.texts[1:] if text.partition("=")[0] in _SHADOWED and "/" in text]
            self.noticed.update(Warning(Kind.INFLUENCES, text) for text in shadowed)
        away, self._away = self._away, self._away or taken_apart(call)[0].away
        ran = [self.call(inner, stdin, depth=depth + 1) for inner in calls_of(call)]
        ran += [self._script(call, runs) for runs in scripts_of(call)]
        self._away = away
        for path, stream in files.written_by(call):
            self.state.keep(path, stream)
        if ran:
            return ran[0]
        return self._written(call, stdin)

    def _written(self, call: Call, stdin: Stream | None) -> Stream:
        """Say what a program writes."""
        known, given = taken_apart(call)
        shown = self._shown(call)
        if shown is not None:
            return shown
        text = None
        if all(word.known for word in call.words):
            text = output(call.program, call.texts[1:], stdin.text if stdin else None)
        downloaded = known.fetches or bool(stdin and stdin.downloaded)
        maker = stdin.maker if stdin and stdin.downloaded and stdin.maker else call
        endless = files.is_endless(call, given) or bool(
            stdin and stdin.endless and call.program in ("tee", "cat", "pv")
        )
        if endless and stdin and stdin.endless and call.program == "tee":
            self.noticed.add(Warning(Kind.EXHAUSTS, f"{stdin.maker} → {call}"))
        decoded = text is not None and (files.decodes(call) or bool(stdin and stdin.decoded))
        return Stream(text, maker, downloaded and text is None, endless, decoded)

    def _script(self, call: Call, runs: Runs) -> Stream:
        """Follow what a call hands to a shell."""
        stream = self.state.file(runs.file) if runs.file else runs.stream
        if stream is None:
            return UNSEEN
        if stream.text is None:
            self.fed.append(Fed(call, stream))
            if runs.partly and runs.shell:
                self.script(runs.partly)
            return UNSEEN
        if stream.decoded:
            self.fed.append(Fed(call, stream))
        if not runs.shell:
            return UNSEEN
        if runs.recipes:
            lines = [line.lstrip("\t@-+") for line in stream.text.splitlines() if line.startswith("\t")]
            return self.script("\n".join(lines))
        before = {str(place): self.state.values.get(str(place)) for place in range(len(runs.arguments))}
        for place, word in enumerate(runs.arguments):
            self.state.values[str(place)] = (word,)
        written = self.script(stream.text)
        for key, values in before.items():
            self.state.values.pop(key, None)
            if values is not None:
                self.state.values[key] = values
        return written

    def _function(self, name: str, words: tuple[Word, ...], stdin: Stream | None) -> Stream:
        if name in self._running:
            tree, body = self.state.functions[name]
            if any(mark in tree.text(body) for mark in ("|", "&")):
                self.noticed.add(Warning(Kind.EXHAUSTS, f"{name} calls itself"))
            return UNSEEN
        around, (self._tree, body) = self._tree, self.state.functions[name]
        before = {key: value for key, value in self.state.values.items() if key.isdigit() or key in "@*#"}
        self.state.give(words[1:])
        self._running.append(name)
        written = self._run(body, stdin)
        self._running.pop()
        self._tree = around
        self.state.values |= before
        return written

    def _shown(self, call: Call) -> Stream | None:
        """Give what a file holds that the script itself wrote: `base64 -d p > x; cat x | sh`."""
        if call.program not in files.SHOWING:
            return None
        given = [text for text in call.texts[1:] if text in self.state.files]
        if not given:
            return None
        stream = self.state.files[given[0]]
        rest = tuple(text for text in call.texts[1:] if text != given[0])
        return replace(stream, text=output(call.program, rest, stream.text)) if stream.text is not None else stream


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


def _below(node: Node, most: int) -> Iterator[Node]:
    """List the nodes within a node."""
    waiting = [node]
    for _ in range(most):
        if not waiting:
            return
        child = waiting.pop()
        yield child
        waiting += child.children


def _origin(word: Word) -> tuple[Call | None, bool]:
    return (word.source.maker, word.source.downloaded) if word.source else (None, False)


def _together(first: Stream, second: Stream) -> Stream:
    """Join what two commands write one after the other."""
    if first.text is not None and second.text is not None and len(first.text) + len(second.text) <= MOST_SOURCE:
        return Stream(first.text + second.text, second.maker or first.maker, decoded=first.decoded or second.decoded)
    unknown = second if second.text is None else first
    downloaded = first if first.downloaded else second
    maker = (downloaded if downloaded.downloaded else unknown).maker
    return Stream(None, maker, downloaded.downloaded, first.endless or second.endless)


def _either(first: Stream, second: Stream) -> Stream:
    return first if first == second else _together(first, second)


def _quoted(text: str) -> str:
    return text if text.isalnum() or is_assignment(text) else "'" + text.replace("'", "'\\''") + "'"
