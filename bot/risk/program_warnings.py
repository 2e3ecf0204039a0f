"""What to know about one call of a program."""

import re
from collections.abc import Iterator
from itertools import pairwise

from bot.risk import code_warnings as codes
from bot.risk.call_interpreter import UnseenCode
from bot.risk.nested_commands import (
    INTERPRETERS,
    SHELLS,
    SOURCES,
    code_after_verb,
    code_argument,
    program,
    row_and_arguments,
    runs_stdin,
)
from bot.risk.program_arguments import CallArguments, is_assignment, is_harmless, matches
from bot.risk.program_table import ProgramRow, row, rows
from bot.risk.sensitive_paths import TEMPORARY, is_product
from bot.risk.shell_types import ProgramCall, Word
from bot.risk.warning_kinds import RiskWarning, WarningKind

__all__ = ["DOWNLOADERS", "ELEVATORS", "LATER", "SOURCES", "about_call", "about_fed"]

DOWNLOADERS = frozenset(name for name, one in rows().items() if one.fetches)
ELEVATORS = frozenset(
    name
    for name, one in rows().items()
    if any(kind is WarningKind.ELEVATES and not (p.verbs or p.options) for kind, p in one.warns)
)
LATER = frozenset(
    name
    for name, one in rows().items()
    if any(kind is WarningKind.SHELL and not (p.verbs or p.options) for kind, p in one.warns)
)
_DESTROYING = frozenset(
    {
        "delete",
        "destroy",
        "purge",
        "drop",
        "wipe",
        "nuke",
        "terminate",
        "erase",
        "uninstall",
        "teardown",
        "rm",
        "truncate",
    }
)
"""What a program without a row would do with such a word for its verb."""
_REMOVERS = frozenset({"rm", "/bin/rm", "shred", "unlink", "rmdir"})
_VERBS = 4
"""The words among which its verb would stand."""
_LOADS = re.compile(r"plugin|rule|require|loader|preset|extension|rootdir|template-?dir")
"""What the name of an option says that loads code."""
_CONFIGURES = frozenset(
    {"-c", "--config", "--config-file", "-r", "--import", "--setup", "--runner", "--load", "-l", "-p"}
)
_LIBRARIES = ("-r", "-I", "--require", "--import", "--loader", "--experimental-loader", "-M")
_IS_CODE = (".js", ".cjs", ".mjs", ".ts", ".py", ".rb", ".lua", ".so", ".dylib", ".dll", ".jar", ".pl", ".php", ".sh")
LONGEST = 200
"""Characters of an option's name."""
_NAMED = frozenset("*?[]{}$`")
_PLAIN = frozenset("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._+-")
_SAYS_NOTHING = frozenset(
    {"date", "uname", "nproc", "git", "jq", "node", "seq", "basename", "dirname", "pwd", "arch", "go", "printf", "echo"}
    | {"npm", "rustc", "python", "lsb_release", "dpkg", "getconf", "curl", "mktemp", "yq"}
)
"""Programs whose output in an address gives nobody away."""


def about_call(call: ProgramCall) -> Iterator[RiskWarning]:
    """Judge a program by its row in the table, and by what stands in its arguments."""
    if not call.words:
        return
    name = program(call)
    known, arguments = row_and_arguments(call)
    first = call.words[0]
    if not _is_named(first):
        yield RiskWarning(WarningKind.UNKNOWN, first.text)
    if not is_harmless(known, arguments):
        seen = {kind for kind, pattern in known.warns if matches(pattern, arguments, known)}
        yield from (RiskWarning(kind, str(call)) for kind in seen)
    if name not in rows() and not set(call.texts[0]) & set("/.") and not is_harmless(known, arguments):
        verbs = [word.text for word in arguments.positionals[:_VERBS]]
        if any(part in _DESTROYING for verb in verbs for part in verb.casefold().split(":")):
            yield RiskWarning(WarningKind.DESTROYS, str(call))
    yield from (RiskWarning(kind, str(call)) for kind in _of_its_own(call, name, known, arguments))
    yield from (RiskWarning(kind, str(call)) for kind in _about_inline(call, known, arguments))


def about_fed(fed: UnseenCode) -> Iterator[RiskWarning]:
    """Judge a program that runs what does not stand in the command."""
    stream, call = fed.stream, fed.call
    if row(program(call)).language == "sql" and not stream.downloaded:
        return  # most of it is a schema or a migration; what a file's name says is judged with the file
    if stream.downloaded:
        yield RiskWarning(WarningKind.DOWNLOAD, f"{stream.maker} → {call}" if stream.maker else str(call))
    elif stream.maker is not None:
        yield RiskWarning(WarningKind.GENERATED, f"{stream.maker} → {call}")
    elif program(call) in SHELLS | SOURCES | INTERPRETERS | {"su", "trap"}:
        yield RiskWarning(WarningKind.UNKNOWN, str(call))


def _is_named(word: Word) -> bool:
    """Whether it is known which program this is, if not where it lies: `"$VENV/bin/python"`."""
    text = word.text
    if word.known:
        return not set(text) & _NAMED
    folder, slash, name = text.rpartition("/")
    return bool(slash) and bool(name) and set(name) <= _PLAIN and "(" not in folder.rpartition(")")[2]


def _of_its_own(call: ProgramCall, name: str, known: ProgramRow, arguments: CallArguments) -> Iterator[WarningKind]:  # noqa: C901, PLR0912
    """Judge what no row can say."""
    texts = call.texts[1:]
    match name:
        case "find" | "fd" | "fdfind" if not _is_of_products(texts):
            if "-delete" in texts or any(part in _REMOVERS for text in texts for part in text[:200].split()):
                yield WarningKind.DELETES
        case "rm" | "unlink" if any(_is_listed(word, "mktemp") for word in arguments.positionals):
            yield WarningKind.DELETES
        case "coproc" if any(text.rpartition("/")[2] in SHELLS for text in texts):
            yield WarningKind.UNKNOWN  # what it is fed comes by a descriptor that nobody follows
        case "kill":
            if set(texts[1:]) & {"-1", "0", "1"} or (texts and texts[0] in ("0", "1")):
                yield WarningKind.STOPS
            if any(_is_listed(word, "cat", "lsof", "fuser") for word in arguments.positionals):
                yield WarningKind.STOPS
        case "seq" if any(text.isdigit() and len(text) > 5 for text in texts):
            yield WarningKind.EXHAUSTS
        case "head" | "truncate" if any(text.endswith(("T", "P")) and text[:-1].isdigit() for text in texts):
            yield WarningKind.EXHAUSTS
        case "dd":
            targets = [text[3:] for text in texts if text.startswith("of=")]
            if any(text.startswith("/dev/") and text != "/dev/null" for text in targets):
                yield WarningKind.DEVICE
            if any(text.startswith("if=/dev/") for text in texts) and not _is_small(texts):
                yield WarningKind.EXHAUSTS
        case "xargs" | "gxargs" | "parallel":
            if any(text.rpartition("/")[2] in ("rm", "shred", "unlink") for text in texts):
                yield WarningKind.DELETES
        case "git":
            yield from _about_git(known, arguments)
        case _ if name in SHELLS and arguments.positionals and arguments.positionals[0].text == "{}":
            yield WarningKind.UNKNOWN  # each file that is found is run
        case "env" | "set" | "export" | "declare" | "typeset" if _lists(name, texts):
            yield WarningKind.SECRET
        case "mv" | "cp" if any(word.text == "/dev/null" for word in arguments.positionals):
            yield WarningKind.DELETES
    if _loads_foreign_code(name, texts, arguments):
        yield WarningKind.INFLUENCES
    if known.network and any(_gives_away(word) for word in call.words[1:]):
        yield WarningKind.SENDS
    if (
        known.network
        and name in ("ssh", "nc", "ncat", "netcat")
        and call.stdin is not None
        and not is_harmless(known, arguments)
    ):
        yield WarningKind.SENDS
    if name == "curl" and any(word.text.casefold().startswith("file:") for word in call.words[1:]):
        yield WarningKind.OUTSIDE
    if (
        any(matches(pattern, arguments, known) for pattern in known.feeds)
        and call.stdin is not None
        and call.stdin.downloaded
    ):
        yield WarningKind.DOWNLOAD


def _loads_foreign_code(name: str, texts: tuple[str, ...], arguments: CallArguments) -> bool:
    """Whether a plugin, a rule or a configuration that is code lies in a folder where anybody may have put it."""
    if name in INTERPRETERS:
        return any(word.text.startswith(TEMPORARY) for word in arguments.given(*_LIBRARIES))
    configures = _CONFIGURES if name not in rows() else frozenset[str]()  # `ls -l /tmp/x.py`
    for text, following in pairwise((*texts, "")):
        option, equals, value = text.partition("=")
        value = value if equals else following
        loads = _LOADS.search(option[:LONGEST]) or (option in configures and value.endswith(_IS_CODE))
        if text.startswith("-") and value.startswith(TEMPORARY) and loads:
            return True
    return False


def _about_git(known: ProgramRow, arguments: CallArguments) -> Iterator[WarningKind]:
    """Judge the settings that make git run something, given by `-c` or by `git config`."""
    words = [word.text for word in arguments.positionals]
    given = [word.text for word in arguments.given("-c") if "=" in word.text]
    if words[:1] == ["config"]:
        rest = words[2:] if words[1:2] in (["set"], ["unset"]) else words[1:]
        reads = {"--get", "--get-all", "--get-regexp", "--list", "-l"} & {name for name, _ in arguments.options}
        given += ["=".join(rest[:2])] if len(rest) > 1 and not reads and rest[0] != "get" else []
    for one in given:
        name, _, value = one.partition("=")
        if any(_is_key(name.casefold(), key) for key in known.keys) and value not in (
            "cat",
            "less",
            "true",
            "",
            "less -R",
        ):
            yield WarningKind.GIT


def _is_key(name: str, key: str) -> bool:
    """Whether a setting is this one: `diff.*.command`."""
    parts = key.split("*")
    return name == key or (len(parts) > 1 and name.startswith(parts[0]) and name.endswith(parts[-1]))


def _about_inline(call: ProgramCall, known: ProgramRow, arguments: CallArguments) -> Iterator[WarningKind]:
    """Judge the code and the SQL that stand in a command, or are fed to it."""
    fed = call.stdin.text if call.stdin is not None and call.stdin.text is not None else ""
    if known.language == "sql":
        given = [word.text for word in arguments.given(*known.sql)]
        texts = [*given, *(word.text for word in arguments.positionals), fed]
        yield from (kind for text in texts if text for kind in codes.about_sql(text))
    elif known.language and known.language != "shell":
        word = code_argument(call, known, arguments)
        text = word.text if word is not None else fed if runs_stdin(call) else ""
        if known.language == "editor":
            text = fed
            if any(line.lstrip(":").startswith("!") for line in fed.splitlines()):
                yield WarningKind.ACTS
            if codes.empties("\n".join((fed, *(one.text for one in arguments.given(*known.scripts))))):
                yield WarningKind.DISCARDS
        if known.language == "sed":
            return
        if text:
            yield from codes.about_code(text, known.language)
    elif (code := code_after_verb(known, arguments)) is not None:
        yield from codes.about_code(code.text)


def _lists(name: str, texts: tuple[str, ...]) -> bool:
    """Whether it lists every variable: `env`, `export -p`."""
    if name == "set":
        return not texts
    return all(text.startswith("-") or (name == "env" and is_assignment(text)) for text in texts)


def _is_listed(word: Word, *harmless: str) -> bool:
    """Whether a word is what another program lists, other than these."""
    if word.known or word.source is None:
        return False
    return word.source.maker is None or program(word.source.maker) not in harmless


def _is_of_products(texts: tuple[str, ...]) -> bool:
    """Whether `find` looks, on either side of an `-o`, for nothing but what a build makes again."""
    branches = [False]
    for before, (text, following) in zip(("", *texts), pairwise((*texts, "")), strict=False):
        if text in ("-o", "-or", ","):
            branches.append(False)
        elif text in ("-name", "-iname", "-path") and before not in ("!", "-not"):
            if not is_product(following.strip("*/") if "/" in following else following):
                return False
            branches[-1] = True
    return all(branches)


def _is_small(texts: tuple[str, ...]) -> bool:
    counts = [text[6:] for text in texts if text.startswith("count=")]
    return bool(counts) and all(count.isdigit() and len(count) < 6 for count in counts)


def _gives_away(word: Word) -> bool:
    """Whether a part of an address or of what is sent is what another program says."""
    if word.source is None or word.known:
        return False
    maker = word.source.maker
    return maker is None or program(maker) not in _SAYS_NOTHING or (program(maker) == "git" and "log" in maker.texts)
