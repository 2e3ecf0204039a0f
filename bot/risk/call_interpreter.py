"""Follows a call: the commands and scripts that it runs, and what it writes."""

from dataclasses import dataclass, replace
from typing import Protocol

from tree_sitter import Node

from bot.risk import created_files
from bot.risk.nested_commands import NestedCode, nested_calls, nested_code, row_and_arguments
from bot.risk.program_arguments import is_assignment
from bot.risk.shell_parser import SyntaxTree
from bot.risk.shell_redirects import FileInterpreter, replace_file
from bot.risk.shell_types import UNKNOWN_STREAM, PipeStream, ProgramCall, Word
from bot.risk.simulated_output import output
from bot.risk.warning_kinds import RiskWarning, WarningKind

MAX_CALLS = 10_000
MAX_CALL_DEPTH = 8
SHADOWED = frozenset(
    {"git", "ls", "cd", "rm", "cat", "npm", "node", "python", "python3", "make", "sudo", "ssh", "curl", "docker"}
)
"""Programs whose name an alias or a function could hide."""


@dataclass(frozen=True, slots=True)
class UnseenCode:
    """A program that runs code which is not in the command."""

    call: ProgramCall
    stream: PipeStream


class CallInterpreter(FileInterpreter, Protocol):
    """Follows the scripts that a call runs and collects what it finds."""

    calls: list[ProgramCall]
    unseen_code: list[UnseenCode]
    warnings: set[RiskWarning]
    running: list[str]
    understood: bool
    away: bool

    def follow_script(self, source: str, stdin: PipeStream | None = None) -> PipeStream: ...
    def follow_function(self, tree: SyntaxTree, body: Node, stdin: PipeStream | None) -> PipeStream: ...


def follow_call(
    shell: CallInterpreter, words: tuple[Word, ...], stdin: PipeStream | None, *, depth: int = 0
) -> PipeStream:
    """Follow a program with its arguments; return its output."""
    if len(shell.calls) > MAX_CALLS or depth >= MAX_CALL_DEPTH:
        shell.understood = False
        return UNKNOWN_STREAM
    name = words[0].text
    if name in shell.state.aliases and depth == 0:
        rest = " ".join(_quoted(word.text) for word in words[1:])
        alias = shell.state.aliases.pop(name)  # an alias is not expanded within itself
        written = shell.follow_script(f"{alias} {rest}", stdin)
        shell.state.aliases[name] = alias
        return written
    if name in shell.state.functions:
        return _call_function(shell, name, words, stdin)
    linked = shell.state.links.get(name.removeprefix("./"))
    call = ProgramCall((Word(linked), *words[1:]) if linked else words, stdin, shell.state.folders, shell.away)
    shell.calls.append(call)
    if call.program == "tee" and stdin is not None and "-a" not in call.texts:
        for word in call.words[1:]:
            replace_file(shell, word, stdin)
    shell.pipeline.append(call)
    shell.state.run_builtin(call)
    if name == "alias":
        shadowed = [text for text in call.texts[1:] if text.partition("=")[0] in SHADOWED and "/" in text]
        shell.warnings.update(RiskWarning(WarningKind.INFLUENCES, text) for text in shadowed)
    away, shell.away = shell.away, shell.away or row_and_arguments(call)[0].away
    ran = [follow_call(shell, inner, stdin, depth=depth + 1) for inner in nested_calls(call)]
    ran += [_follow_code(shell, call, runs) for runs in nested_code(call)]
    shell.away = away
    for path, stream in created_files.written_by(call):
        shell.state.write_file(path, stream)
    if ran:
        return ran[0]
    return _output(shell, call, stdin)


def _output(shell: CallInterpreter, call: ProgramCall, stdin: PipeStream | None) -> PipeStream:
    """Return the output of a program."""
    known, given = row_and_arguments(call)
    shown = _shown_file(shell, call)
    if shown is not None:
        return shown
    text = None
    if all(word.known for word in call.words):
        text = output(call.program, call.texts[1:], stdin.text if stdin else None)
    downloaded = known.fetches or bool(stdin and stdin.downloaded)
    maker = stdin.maker if stdin and stdin.downloaded and stdin.maker else call
    endless = created_files.is_endless(call, given) or bool(
        stdin and stdin.endless and call.program in ("tee", "cat", "pv")
    )
    if endless and stdin and stdin.endless and call.program == "tee":
        shell.warnings.add(RiskWarning(WarningKind.EXHAUSTS, f"{stdin.maker} → {call}"))
    decoded = text is not None and (created_files.decodes(call) or bool(stdin and stdin.decoded))
    return PipeStream(text, maker, downloaded and text is None, endless, decoded)


def _follow_code(shell: CallInterpreter, call: ProgramCall, runs: NestedCode) -> PipeStream:
    """Follow the code that a call passes to a shell; return its output."""
    stream = shell.state.read_file(runs.file) if runs.file else runs.stream
    if stream is None:
        return UNKNOWN_STREAM
    if stream.text is None:
        shell.unseen_code.append(UnseenCode(call, stream))
        if runs.partly and runs.shell:
            shell.follow_script(runs.partly)
        return UNKNOWN_STREAM
    if stream.decoded:
        shell.unseen_code.append(UnseenCode(call, stream))
    if not runs.shell:
        return UNKNOWN_STREAM
    if runs.recipes:
        lines = [line.lstrip("\t@-+") for line in stream.text.splitlines() if line.startswith("\t")]
        return shell.follow_script("\n".join(lines))
    before = {str(place): shell.state.values.get(str(place)) for place in range(len(runs.arguments))}
    for place, word in enumerate(runs.arguments):
        shell.state.values[str(place)] = (word,)
    written = shell.follow_script(stream.text)
    for key, values in before.items():
        shell.state.values.pop(key, None)
        if values is not None:
            shell.state.values[key] = values
    return written


def _call_function(shell: CallInterpreter, name: str, words: tuple[Word, ...], stdin: PipeStream | None) -> PipeStream:
    if name in shell.running:
        tree, body = shell.state.functions[name]
        if any(mark in tree.text(body) for mark in ("|", "&")):
            shell.warnings.add(RiskWarning(WarningKind.EXHAUSTS, f"{name} calls itself"))
        return UNKNOWN_STREAM
    before = {key: value for key, value in shell.state.values.items() if key.isdigit() or key in "@*#"}
    shell.state.set_arguments(words[1:])
    shell.running.append(name)
    written = shell.follow_function(*shell.state.functions[name], stdin)
    shell.running.pop()
    shell.state.values |= before
    return written


def _shown_file(shell: CallInterpreter, call: ProgramCall) -> PipeStream | None:
    """Return the content of a file that the script itself wrote: `base64 -d p > x; cat x | sh`."""
    if call.program not in created_files.SHOWING:
        return None
    given = [text for text in call.texts[1:] if text in shell.state.files]
    if not given:
        return None
    stream = shell.state.files[given[0]]
    rest = tuple(text for text in call.texts[1:] if text != given[0])
    return replace(stream, text=output(call.program, rest, stream.text)) if stream.text is not None else stream


def _quoted(text: str) -> str:
    return text if text.isalnum() or is_assignment(text) else "'" + text.replace("'", "'\\''") + "'"
