"""Warnings about a shell command."""

import re
from collections.abc import Iterator
from functools import lru_cache

from bot.risk import code_warnings, named_files, overwrite_warnings, sed_scripts, sensitive_paths
from bot.risk.named_files import NamedFile
from bot.risk.nested_commands import code_argument, program, row_and_arguments, runs_stdin
from bot.risk.path_warnings import about_path
from bot.risk.program_warnings import about_call, about_fed
from bot.risk.shell_interpreter import ShellInterpreter
from bot.risk.shell_types import ProgramCall, Redirect, Word
from bot.risk.variable_warnings import about_variables
from bot.risk.warning_kinds import RiskWarning, WarningKind

_COMPILERS = frozenset({"gcc", "cc", "g++", "c++", "clang", "clang++", "tcc", "go", "rustc", "zig", "nim", "ghc"})
_RESTORES = re.compile(
    r"(?i)drop|wipe|truncat|delete|purge|restor|backup|dump|rollback|(?<![a-z])(?:reset|prod)(?![a-z])"
)
"""Names of SQL files that probably delete data."""


@lru_cache(maxsize=32)  # a card needs the same command about a dozen times
def interpret(source: str) -> ShellInterpreter:
    """Follow a command; cached."""
    found = ShellInterpreter()
    found.follow_script(source)
    return found


def about_command(source: str, folder: str, *, others: bool = False) -> Iterator[RiskWarning]:
    """Yield warnings about a command; with `others` it may not be a shell command, so it need not be readable."""
    found = interpret(source)
    if not (found.understood and found.state.complete) and not others:
        yield RiskWarning(WarningKind.UNREADABLE)
    yield from found.warnings
    for redirect in found.redirects:
        yield from _about_redirect(redirect, folder)
    built = {word.text for call in found.calls if program(call) in _COMPILERS for word in _output(call)}
    for call in found.calls:
        yield from about_call(call)
        yield from _about_files(call, folder, built)
        yield from _about_code(call, folder)
        yield from overwrite_warnings.about_call(call)
        yield from _about_restore(call)
    yield from overwrite_warnings.about_replaced(found.replaced_files, found.state)
    for fed in found.unseen_code:
        yield from about_fed(fed)
    yield from about_variables(found)
    read = [word.text for name, word in found.assignments if name in found.variables and name != "PATH" and word.known]
    for text in (*read, *(word.text for word in found.loop_values)):  # X=/etc/passwd; cat $X
        if sensitive_paths.is_path(text):
            yield from about_path(text, folder, changes=False)


def _about_redirect(redirect: Redirect, folder: str) -> Iterator[RiskWarning]:
    target = redirect.target.text
    if sensitive_paths.is_path(target) and not target.isdigit():
        for one in named_files.from_each(NamedFile(target, redirect.writes), redirect.folders):
            yield from _about_file(one, folder)
    if target.startswith(("/dev/tcp/", "/dev/udp/")):
        yield RiskWarning(WarningKind.ACCESS, target)
    elif redirect.writes and sensitive_paths.is_device(target):
        yield RiskWarning(WarningKind.DEVICE, target)


def _output(call: ProgramCall) -> list[Word]:
    return row_and_arguments(call)[1].given("-o")


def _about_restore(call: ProgramCall) -> Iterator[RiskWarning]:
    """Yield warnings about an SQL file by its name; it is not read."""
    known, arguments = row_and_arguments(call)
    if known.language != "sql":
        return
    files = [word.text for word in arguments.given("-f", "--file", "-i")]
    if call.stdin is not None and call.stdin.text is None:
        files += [call.stdin.file, *(call.stdin.maker.texts[1:] if call.stdin.maker is not None else ())]
    yield from (
        RiskWarning(WarningKind.DESTROYS, f"{call} ← {file}")
        for file in files
        if _RESTORES.search(file[: sensitive_paths.LONGEST])
    )


def _about_files(call: ProgramCall, folder: str, built: set[str]) -> Iterator[RiskWarning]:
    if program(call) == "cd" and len(call.words) == 1:
        yield RiskWarning(WarningKind.OUTSIDE, "~")
    for one in named_files.files_of(call):
        if one.runs and one.path in built:  # `cc -o /tmp/a a.c && /tmp/a`
            continue
        if not call.away:
            yield from _about_file(one, folder)
        elif one.shows and sensitive_paths.is_secret(one.path):
            yield RiskWarning(WarningKind.SECRET, one.path)


def _about_file(file: NamedFile, folder: str) -> Iterator[RiskWarning]:
    yield from about_path(
        file.path, folder, changes=file.changes, secrets=file.shows, strict=file.runs, place=file.place
    )


def _about_code(call: ProgramCall, folder: str) -> Iterator[RiskWarning]:
    """Yield warnings about the paths and commands that are quoted in code of another language."""
    known, arguments = row_and_arguments(call)
    word = code_argument(call, known, arguments)
    text = word.text if word is not None else ""
    if not text and runs_stdin(call) and call.stdin is not None:
        text = call.stdin.text or ""
    if not text or known.language in ("", "shell", "sql"):
        return
    if known.language == "sed":
        yield from _about_sed(call, sed_scripts.read(text), folder)
        return
    changes = code_warnings.writes(text)
    runs = any(kind is WarningKind.ACTS for kind in code_warnings.about_code(text))
    for literal in code_warnings.literals(text):
        if sensitive_paths.is_path(literal) and " " not in literal and len(literal) > 2:
            yield from about_path(literal, folder, changes=changes)
        if runs and " " in literal:
            yield from about_command(literal, folder, others=True)


def _about_sed(call: ProgramCall, script: sed_scripts.SedScript, folder: str) -> Iterator[RiskWarning]:
    if script.runs:
        yield RiskWarning(WarningKind.ACTS, str(call))
    for command in script.runs:
        yield from about_command(command, folder, others=True)
    for path in (*script.writes, *script.reads):
        if sensitive_paths.is_path(path):
            yield from about_path(path, folder, changes=path in script.writes)
