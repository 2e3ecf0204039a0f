"""Warnings about a single call of a program."""

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
"""Verbs that are destructive for any program without a row."""
_REMOVERS = frozenset({"rm", "/bin/rm", "shred", "unlink", "rmdir"})
_VERBS = 4
"""Number of words to search for its verb."""
_LOADS = re.compile(r"plugin|rule|require|loader|preset|extension|rootdir|template-?dir")
"""Names of options that load code."""
_CONFIGURES = frozenset(
    {"-c", "--config", "--config-file", "-r", "--import", "--setup", "--runner", "--load", "-l", "-p"}
)
_LIBRARIES = ("-r", "-I", "--require", "--import", "--loader", "--experimental-loader", "-M")
_IS_CODE = (".js", ".cjs", ".mjs", ".ts", ".py", ".rb", ".lua", ".so", ".dylib", ".dll", ".jar", ".pl", ".php", ".sh")
LONGEST = 200
"""Number of characters of an option that are searched."""
_GLOB_OR_VARIABLE = frozenset("*?[]{}$`")
_PLAIN = frozenset("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._+-")
_REVEALS_NOTHING = frozenset(
    {"date", "uname", "nproc", "git", "jq", "node", "seq", "basename", "dirname", "pwd", "arch", "go", "printf", "echo"}
    | {"npm", "rustc", "python", "lsb_release", "dpkg", "getconf", "curl", "mktemp", "yq"}
)
"""Programs whose output reveals nothing private in an address."""


def about_call(call: ProgramCall) -> Iterator[RiskWarning]:
    """Yield warnings about a call, from its row in the table and its arguments."""
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
    yield from (RiskWarning(kind, str(call)) for kind in _special_cases(call, name, known, arguments))
    yield from (RiskWarning(kind, str(call)) for kind in _about_inline(call, known, arguments))


def about_fed(fed: UnseenCode) -> Iterator[RiskWarning]:
    """Yield warnings about a program that runs code which is not in the command."""
    stream, call = fed.stream, fed.call
    if row(program(call)).language == "sql" and not stream.downloaded:
        return  # mostly schemas and migrations; file names have their own warning
    if stream.downloaded:
        yield RiskWarning(WarningKind.DOWNLOAD, f"{stream.maker} → {call}" if stream.maker else str(call))
    elif stream.maker is not None:
        yield RiskWarning(WarningKind.GENERATED, f"{stream.maker} → {call}")
    elif program(call) in SHELLS | SOURCES | INTERPRETERS | {"su", "trap"}:
        yield RiskWarning(WarningKind.UNKNOWN, str(call))


def _is_named(word: Word) -> bool:
    """Check whether the program is known, even if its folder is not: `"$VENV/bin/python"`."""
    text = word.text
    if word.known:
        return not set(text) & _GLOB_OR_VARIABLE
    folder, slash, name = text.rpartition("/")
    return bool(slash) and bool(name) and set(name) <= _PLAIN and "(" not in folder.rpartition(")")[2]


def _special_cases(call: ProgramCall, name: str, known: ProgramRow, arguments: CallArguments) -> Iterator[WarningKind]:  # noqa: C901, PLR0912
    """Yield the warnings that a row of the table can't express."""
    texts = call.texts[1:]
    match name:
        case "find" | "fd" | "fdfind" if not _is_of_products(texts):
            if "-delete" in texts or any(part in _REMOVERS for text in texts for part in text[:200].split()):
                yield WarningKind.DELETES
        case "rm" | "unlink" if any(_is_listed(word, "mktemp") for word in arguments.positionals):
            yield WarningKind.DELETES
        case "coproc" if any(text.rpartition("/")[2] in SHELLS for text in texts):
            yield WarningKind.UNKNOWN  # its input comes through a descriptor, which is not followed
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
            yield WarningKind.UNKNOWN  # it runs each file that is found
        case "env" | "set" | "export" | "declare" | "typeset" if _lists(name, texts):
            yield WarningKind.SECRET
        case "mv" | "cp" if any(word.text == "/dev/null" for word in arguments.positionals):
            yield WarningKind.DELETES
    if _loads_foreign_code(name, texts, arguments):
        yield WarningKind.INFLUENCES
    if known.network and any(_reveals(word) for word in call.words[1:]):
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
    """Check whether code such as a plugin or a configuration is loaded from a folder that anyone can write to."""
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
    """Yield warnings about settings that make git run a program, with `-c` or `git config`."""
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
    """Check whether a setting matches a key such as `diff.*.command`."""
    parts = key.split("*")
    return name == key or (len(parts) > 1 and name.startswith(parts[0]) and name.endswith(parts[-1]))


def _about_inline(call: ProgramCall, known: ProgramRow, arguments: CallArguments) -> Iterator[WarningKind]:
    """Yield warnings about code and SQL in a command or in its input."""
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
    """Check whether the call lists all variables: `env`, `export -p`."""
    if name == "set":
        return not texts
    return all(text.startswith("-") or (name == "env" and is_assignment(text)) for text in texts)


def _is_listed(word: Word, *harmless: str) -> bool:
    """Check whether a word is the output of a program other than these."""
    if word.known or word.source is None:
        return False
    return word.source.maker is None or program(word.source.maker) not in harmless


def _is_of_products(texts: tuple[str, ...]) -> bool:
    """Check whether `find` searches only for build products, on both sides of every `-o`."""
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


def _reveals(word: Word) -> bool:
    """Check whether a part of an address or of the sent data is the output of another program."""
    if word.source is None or word.known:
        return False
    maker = word.source.maker
    return maker is None or program(maker) not in _REVEALS_NOTHING or (program(maker) == "git" and "log" in maker.texts)
