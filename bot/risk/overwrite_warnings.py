"""Warnings about files of the project that are emptied or overwritten by something other than an editor."""

import posixpath
import re
from collections.abc import Iterator

from bot.risk import code_warnings, named_files, sed_scripts
from bot.risk.named_files import NamedFile
from bot.risk.nested_commands import code_argument, program, row_and_arguments
from bot.risk.program_arguments import CallArguments
from bot.risk.sensitive_paths import TEMPORARY, is_product
from bot.risk.shell_redirects import ReplacedFile
from bot.risk.shell_state import ShellState
from bot.risk.shell_types import ProgramCall
from bot.risk.source_files import is_code, is_work
from bot.risk.warning_kinds import RiskWarning, WarningKind

_LISTS = frozenset({"git", "find", "fd", "fdfind", "ls", "grep", "rg", "tree"})
"""Programs that list files of the project."""
_NARROWS = frozenset(
    {"-name", "-iname", "-path", "-ipath", "-regex", "-iregex", "-newer", "-mmin", "-mtime", "-samefile", "-wholename"}
)
_EVERYWHERE = frozenset({".", "./", "/", "~", "$PWD", ".."})
_BLANKS = re.compile(r"s([/|#,!])\^?\.[*+]\$?\1\1|\s*(?:1,\$)?\s*d\s*$")
"""sed commands that leave nothing of a line: `s/.*//`, `d`."""
_AWK_WRITES = re.compile(r">\s*\"([^\"\n]{1,300})\"")


def about_replaced(every: list[ReplacedFile], state: ShellState) -> Iterator[RiskWarning]:
    """Yield warnings about files that a redirect or `tee` overwrites."""
    shown: dict[int, frozenset[str]] = {}
    for replaced in every:
        shown |= {id(call): frozenset(_read_files(call)) for call in replaced.pipeline if id(call) not in shown}
        yield from _about(replaced, state, [shown[id(call)] for call in replaced.pipeline])


def _about(replaced: ReplacedFile, state: ShellState, shown: list[frozenset[str]]) -> Iterator[RiskWarning]:
    path = replaced.file.text
    if is_product(path):
        return
    final = state.read_file(path) or replaced.by  # `> x; echo a >> x` is the same as `echo a > x`
    blank = all(stream.text is not None and not stream.text.strip() for stream in (replaced.by, final))
    if blank and (is_work(path) or _is_listed(replaced)):
        yield RiskWarning(WarningKind.DISCARDS, f"> {path}")
    if replaced.by.downloaded and is_code(path):
        yield RiskWarning(WarningKind.DISCARDS, f"{replaced.by.maker} → {path}")
    own = {posixpath.normpath(one.path) for one in _from_each(path, replaced.folders)}
    if replaced.feeds_itself or not all(map(own.isdisjoint, shown)):
        yield RiskWarning(WarningKind.DISCARDS, f"{path} is emptied before it is read")


def about_call(call: ProgramCall) -> Iterator[RiskWarning]:
    """Yield warnings about a program that overwrites someone's work, although that is not its usual purpose."""
    known, arguments = row_and_arguments(call)
    name = program(call)
    written = [word.text for word in arguments.given(*known.writes)]
    word = code_argument(call, known, arguments)
    text = word.text if word is not None else ""
    if name == "uniq":
        written += [word.text for word in arguments.positionals[1:2]]
    elif name == "dd":
        written += [text[3:] for text in call.texts if text.startswith("of=")]
    elif known.language == "sed":
        written += sed_scripts.read(text).writes
    elif known.language == "awk":
        written += _AWK_WRITES.findall(text[: code_warnings.MAX_CODE])
    yield from (RiskWarning(WarningKind.DISCARDS, f"{call} → {path}") for path in written if is_code(path))
    if (
        _blanks(call, name, text, arguments)
        or _moves_away(name, arguments)
        or _edits_everything(call, name, arguments)
        or _unpacks_commit(call, name, arguments)
    ):
        yield RiskWarning(WarningKind.DISCARDS, str(call))


def _from_each(path: str, folders: tuple[str, ...]) -> Iterator[NamedFile]:
    return named_files.from_each(NamedFile(path, changes=True), folders)


def _is_listed(replaced: ReplacedFile) -> bool:
    source = replaced.file.source
    return source is not None and source.maker is not None and program(source.maker) in _LISTS


def _read_files(call: ProgramCall) -> Iterator[str]:
    if not call.away:
        yield from (posixpath.normpath(one.path) for one in named_files.files_of(call) if one.shows)


def _in_place(name: str, arguments: CallArguments) -> bool:
    return name in ("sed", "gsed", "perl", "ruby") and (arguments.has("-i") or arguments.has("--in-place*"))


def _blanks(call: ProgramCall, name: str, text: str, arguments: CallArguments) -> bool:
    return _in_place(name, arguments) and _BLANKS.match(text.strip()) is not None and len(call.words) > 2


def _moves_away(name: str, arguments: CallArguments) -> bool:
    """Check whether many files of the project are moved to a folder that is emptied at the next start."""
    *moved, target = (word.text for word in arguments.positionals) if arguments.positionals else ("",)
    return (
        name == "mv"
        and f"{target}/".startswith(TEMPORARY)
        and any("*" in path and not path.startswith(("/", "~")) and not is_product(path) for path in moved)
    )


def _edits_everything(call: ProgramCall, name: str, arguments: CallArguments) -> bool:
    """Check whether all files, including those in `.git`, are edited in place."""
    if not _in_place(name, arguments):
        return False
    makers = [word.source.maker for word in call.words if word.source is not None and word.source.maker is not None]
    return any(program(maker) == "find" and _finds_everything(maker) for maker in makers)


def _unpacks_commit(call: ProgramCall, name: str, arguments: CallArguments) -> bool:
    """Check whether a commit is unpacked over the working tree: `git archive HEAD~3 | tar x`."""
    maker = call.stdin.maker if call.stdin is not None else None
    elsewhere = arguments.given("-C", "--directory")
    return name == "tar" and arguments.has("-x") and not elsewhere and maker is not None and program(maker) == "git"


def _finds_everything(call: ProgramCall) -> bool:
    texts = call.texts[1:]
    return not _NARROWS & set(texts) and (not texts or texts[0].startswith("-") or texts[0] in _EVERYWHERE)
