"""Finds the commands inside a command: `sudo`, `xargs`, `find -exec`, `bash -c`, `docker exec`, `ssh`."""

from collections.abc import Iterator
from dataclasses import dataclass

from bot.risk.program_arguments import CallArguments, called_words, matches, read_arguments
from bot.risk.program_table import ProgramRow, callers, row, rows
from bot.risk.sensitive_paths import is_product
from bot.risk.shell_types import PipeStream, ProgramCall, Word

SHELLS = frozenset(name for name, one in rows().items() if one.language == "shell")
INTERPRETERS = frozenset(name for name, one in rows().items() if one.language not in ("", "shell", "sed", "make"))
WRAPPERS = callers()
SOURCES = frozenset({"source", ".", "eval"})
INNER = SHELLS | {"rm", "rimraf", "shred", "dd", "find", "git", "sudo", "doas"}
"""Programs to look for among the arguments of a program without a row: `lando exec web rm -rf /data`."""
STDIN = frozenset({"-", "/dev/stdin", "/dev/fd/0"})
MAX_FED = 50
"""Number of input words of `xargs` that are followed."""
_EXECUTES = frozenset({"-exec", "-execdir", "-ok", "-okdir", "-x", "--exec", "-X", "--exec-batch"})
_FEEDERS = frozenset({"xargs", "gxargs", "parallel"})


@dataclass(frozen=True, slots=True)
class NestedCode:
    """Code that a call runs."""

    stream: PipeStream | None = None
    file: str = ""
    """The file with the code; the script itself may have written it."""
    shell: bool = True
    """Whether it is shell code or another language."""
    arguments: tuple[Word, ...] = ()
    """Its `$0`, `$1`…"""
    recipes: bool = False
    """Whether it is a makefile, in which shell lines begin with a tab."""
    partly: str = ""
    """The known part of a text that is not completely known."""


def program(call: ProgramCall) -> str:
    """Return the name of the program without path and version: `/usr/bin/python3.12` is python."""
    name = call.program.removesuffix(".exe")
    return name if name in rows() else name.rstrip("0123456789.") or name


def row_and_arguments(call: ProgramCall) -> tuple[ProgramRow, CallArguments]:
    known = row(program(call))
    return known, read_arguments(call, known)


def nested_calls(call: ProgramCall) -> Iterator[tuple[Word, ...]]:  # noqa: C901 - one per way
    """Yield the commands that a call runs, as words of its arguments."""
    name = program(call)
    if len(call.words) < 2 or (name == "command" and {"-v", "-V"} & set(call.texts[1:2])):
        return
    if name in ("find", "fd", "fdfind"):
        yield from _exec_commands(call.words, _find_placeholder(call))
        return
    known, arguments = row_and_arguments(call)
    for rest in _called_commands(call, known, arguments):
        if name in _FEEDERS:
            made = _with_input(rest, call.stdin, arguments)
            yield (Word("sh"), Word("-c"), *made) if ":::" in call.texts and _is_script(made[:1]) else made
        elif not (known.joins or _is_script(rest)):
            yield rest
    if known.language == "python" and (module := arguments.given("-m")):
        place = next(place for place, word in enumerate(call.words) if word.text.endswith(module[0].text))
        yield (module[0], *call.words[place + 1 :])
    elif known.language in ("python", "php", "javascript", "ruby") and arguments.positionals:
        script = arguments.positionals[0]
        if script.text.rpartition("/")[2] in rows() and code_argument(call, known, arguments) is None:
            yield call.words[arguments.places[0] :]
    if name not in rows():
        for place, word in enumerate(call.words[2:], 2):
            if word.text in INNER:
                yield call.words[place:]
                return


def nested_code(call: ProgramCall) -> Iterator[NestedCode]:  # noqa: C901 - one per way
    """Yield the texts and files that a call passes to a shell or an interpreter."""
    name = program(call)
    known, arguments = row_and_arguments(call)
    words = call.words[1:]
    if "/" in call.texts[0] or call.words[0].source is not None:
        yield NestedCode(file=call.texts[0])
    if name == "eval" and words:
        yield _as_code(_join(words))
    elif name == "alias":
        yield from (_as_code(Word(word.text.partition("=")[2], word.known, word.source)) for word in words)
    elif name == "trap" and arguments.positionals:
        yield _as_code(arguments.positionals[0])
    elif known.language == "make":
        for word in arguments.given("-f", "--file", "--makefile"):
            yield (
                NestedCode(call.stdin, recipes=True) if word.text in STDIN else NestedCode(file=word.text, recipes=True)
            )
    elif name in SOURCES and words:
        yield NestedCode(call.stdin) if words[0].text in STDIN else NestedCode(file=words[0].text)
    for word in arguments.given(*known.scripts):
        yield _as_code(_without_prefix(word))
    for rest in _called_commands(call, known, arguments):
        if known.joins or _is_script(rest):
            yield _as_code(_join(rest))
    if known.language not in ("", "make"):
        yield from _run_by(call, known, arguments)
    if name not in rows():
        yield from (_as_code(_without_prefix(word)) for word in words if _looks_like_a_script(word))


def runs_stdin(call: ProgramCall) -> bool:
    """Check whether a shell or an interpreter would run its input as code."""
    known, arguments = row_and_arguments(call)
    if (
        known.language in ("", "awk", "sed", "make")
        or code_argument(call, known, arguments) is not None
        or _only_checks(call)
    ):
        return False
    if known.language == "sql":
        return True
    if known.language == "python" and arguments.given("-m"):
        return False
    first = arguments.positionals[0].text if arguments.positionals else ""
    return first in ("", *STDIN) or (known.language == "shell" and arguments.has("-s"))


def code_argument(call: ProgramCall, known: ProgramRow, arguments: CallArguments) -> Word | None:
    """Return the code among the arguments: `-c`, `-e`, also in `-lc`."""
    if known.leads:
        given = arguments.given(*known.code)
        return given[0] if given else next(iter(arguments.positionals), None) if not arguments.given("-f") else None
    if known.language == "shell":  # its `-c` takes no value: the script is the first argument
        if "c" in {name[1:] for name, _ in arguments.options if len(name) == 2} or arguments.has("-Command"):
            return arguments.positionals[0] if arguments.positionals else Word("")
        return None
    given = arguments.given(*known.code)
    if given and known.language == "perl":
        given += arguments.given("-M")
    if given and not (known.language == "python" and arguments.given("-m")):
        return _join(tuple(given))
    if known.language == "javascript" and call.texts[1:2] == ("eval",) and len(call.words) > 2:
        return call.words[2]
    return None


def _run_by(call: ProgramCall, known: ProgramRow, arguments: CallArguments) -> Iterator[NestedCode]:
    shell = known.language == "shell"
    if _only_checks(call):
        return
    code = code_argument(call, known, arguments)
    if code is not None:
        if shell:
            made = _as_code(code)
            yield NestedCode(made.stream, arguments=arguments.positionals[1:], partly=made.partly)
        elif not code.known and code.source is not None:
            yield NestedCode(code.source, shell=False)
        return
    if runs_stdin(call):
        yield NestedCode(call.stdin, shell=shell, arguments=(Word("bash"), *arguments.positionals))
    elif arguments.positionals and known.language not in ("awk", "sed"):
        skipped = 1 if arguments.positionals[0].text == "run" and len(arguments.positionals) > 1 else 0
        yield NestedCode(file=arguments.positionals[skipped].text, shell=shell, arguments=arguments.positionals)


def _only_checks(call: ProgramCall) -> bool:
    """Check whether the call only checks the syntax of the code: `bash -n`, `php -l`."""
    known, arguments = row_and_arguments(call)
    return any(map(arguments.has, known.checks)) and not any(text.startswith("+") for text in call.texts)


def code_after_verb(known: ProgramRow, arguments: CallArguments) -> Word | None:
    """Return the code after a verb: `rails runner CODE`, `artisan tinker --execute=CODE`."""
    for pattern in known.evaluates:
        if matches(pattern, arguments, known):
            if pattern.circumstances and arguments.stdin is not None:  # `go run - <<E`
                return Word(arguments.stdin.text or "")
            code = [*arguments.given(*pattern.options), *arguments.positionals[len(pattern.verbs) :]]
            return code[0] if code else None
    return None


def _called_commands(call: ProgramCall, known: ProgramRow, arguments: CallArguments) -> Iterator[tuple[Word, ...]]:
    for pattern in known.calls:
        rest = called_words(pattern, call, arguments, known)
        if rest:
            yield rest
            return


def _find_placeholder(call: ProgramCall) -> Word:
    """Return a word for `{}` of `find`: the name that it searches for, or the folder."""
    _, arguments = row_and_arguments(call)
    names = arguments.given("-name", "-iname")
    if names:
        return next((name for name in names if not is_product(name.text)), names[0])
    where = arguments.positionals[0].text if arguments.positionals and program(call) == "find" else "{}"
    return Word(where, source=PipeStream(None, call))


def _exec_commands(words: tuple[Word, ...], found: Word) -> Iterator[tuple[Word, ...]]:
    place = 0
    while place < len(words):
        if words[place].text in _EXECUTES:
            inner: list[Word] = []
            for following in words[place + 1 :]:
                place += 1
                if following.text in (";", "+"):
                    break
                inner.append(found if following.text == "{}" else following)
            if inner:
                yield tuple(inner)
        place += 1


def _with_input(rest: tuple[Word, ...], stdin: PipeStream | None, arguments: CallArguments) -> tuple[Word, ...]:
    """Return the command of `xargs` with its input added."""
    texts = [word.text for word in rest]
    if ":::" in texts:  # the input of `parallel` is in the command
        given = texts.index(":::")
        return (*rest[:given], *rest[given + 1 :])
    unseen = Word("…", known=False, source=stdin)
    known = stdin is not None and stdin.text is not None
    text = stdin.text if stdin is not None and stdin.text is not None else ""
    if arguments.has("-0") or arguments.has("--null"):
        read = text.rstrip("\0\n").split("\0")
    elif arguments.has("-I") or arguments.has("-d") or arguments.has("-L"):
        read = text.splitlines()
    else:
        read = text.replace("\0", " ").split()
    more = [Word(text) for text in read[:MAX_FED]] + ([] if known and len(read) <= MAX_FED else [unseen])
    place = arguments.given("-I", "--replace", "-i")
    holder = place[0].text if place else "{}"
    if holder and any(holder in word.text for word in rest):
        one = more[0] if more else unseen
        return tuple(
            Word(word.text.replace(holder, one.text), word.known and one.known, one.source or word.source)
            if holder in word.text
            else word
            for word in rest
        )
    return (*rest, *more)


def _as_code(word: Word) -> NestedCode:
    """Turn a word into code; unknown parts stay as written."""
    if word.known:
        decoded = word.source is not None and word.source.decoded
        return NestedCode(PipeStream(word.text, word.source.maker if word.source else None, decoded=decoded))
    maker = word.source.maker if word.source else None
    if maker is not None:
        made_by, given = row_and_arguments(maker)
        if any(matches(pattern, given, made_by) for pattern in made_by.evals):
            return NestedCode()  # `eval "$(ssh-agent)"` is its intended use
    return NestedCode(word.source if word.source and word.source.text is None else PipeStream(None), partly=word.text)


def _join(words: tuple[Word, ...]) -> Word:
    source = next((word.source for word in words if word.source), None)
    return Word(" ".join(word.text for word in words), all(word.known for word in words), source)


def _without_prefix(word: Word) -> Word:
    """Remove the prefix of a script: `exec=…`, `ProxyCommand=…`, vim's `:!`."""
    text = word.text
    name, equals, value = text.partition("=")
    if equals and name.replace("-", "").isalpha() and " " not in name:
        text = value
    return Word(text.lstrip(":!"), word.known, word.source)


def _is_script(rest: tuple[Word, ...]) -> bool:
    return len(rest) == 1 and " " in rest[0].text.strip()


def _looks_like_a_script(word: Word) -> bool:
    """Check whether an argument is itself a command: `--hook='rm -rf x'`."""
    first, blank, _ = _without_prefix(word).text.partition(" ")
    return bool(blank) and first.rpartition("/")[2] in INNER
