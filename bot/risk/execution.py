"""What a call does: the commands and scripts that it runs in its turn, and what it writes."""

from dataclasses import dataclass, replace
from typing import Protocol

from tree_sitter import Node

from bot.risk import written_files
from bot.risk.command_output import output
from bot.risk.nested_commands import Runs, calls_of, scripts_of, taken_apart
from bot.risk.pipe_output import UNSEEN
from bot.risk.program_table import is_assignment
from bot.risk.shell_parser import Call, Stream, Tree, Word
from bot.risk.shell_state import State
from bot.risk.warning_kinds import Kind, Warning  # noqa: A004 - it is one

MOST_CALLS = 10_000
DEEPEST_CALL = 8
SHADOWED = frozenset(
    {"git", "ls", "cd", "rm", "cat", "npm", "node", "python", "python3", "make", "sudo", "ssh", "curl", "docker"}
)
"""Programs whose name somebody may give to something else."""


@dataclass(frozen=True, slots=True)
class Fed:
    """A program that runs as code what it is given, which does not stand in the command."""

    call: Call
    stream: Stream


class Shell(Protocol):
    """What follows the scripts that a call runs, and remembers what is seen on the way."""

    calls: list[Call]
    beside: list[Call]
    fed: list[Fed]
    noticed: set[Warning]
    running: list[str]
    state: State
    understood: bool
    away: bool

    def script(self, source: str, stdin: Stream | None = None) -> Stream: ...
    def body(self, tree: Tree, body: Node, stdin: Stream | None) -> Stream: ...
    def replace_file(self, file: Word, by: Stream, *, feeds_itself: bool = False) -> None: ...


def run(shell: Shell, words: tuple[Word, ...], stdin: Stream | None, *, depth: int = 0) -> Stream:
    """Follow one program with its arguments."""
    if len(shell.calls) > MOST_CALLS or depth >= DEEPEST_CALL:
        shell.understood = False
        return UNSEEN
    name = words[0].text
    if name in shell.state.aliases and depth == 0:
        rest = " ".join(_quoted(word.text) for word in words[1:])
        alias = shell.state.aliases.pop(name)  # an alias is not opened within itself
        written = shell.script(f"{alias} {rest}", stdin)
        shell.state.aliases[name] = alias
        return written
    if name in shell.state.functions:
        return _function(shell, name, words, stdin)
    linked = shell.state.links.get(name.removeprefix("./"))
    call = Call((Word(linked), *words[1:]) if linked else words, stdin, shell.state.folders, shell.away)
    shell.calls.append(call)
    if call.program == "tee" and stdin is not None and "-a" not in call.texts:
        for word in call.words[1:]:
            shell.replace_file(word, stdin)
    shell.beside.append(call)
    shell.state.follow(call)
    if name == "alias":
        shadowed = [text for text in call.texts[1:] if text.partition("=")[0] in SHADOWED and "/" in text]
        shell.noticed.update(Warning(Kind.INFLUENCES, text) for text in shadowed)
    away, shell.away = shell.away, shell.away or taken_apart(call)[0].away
    ran = [run(shell, inner, stdin, depth=depth + 1) for inner in calls_of(call)]
    ran += [_script(shell, call, runs) for runs in scripts_of(call)]
    shell.away = away
    for path, stream in written_files.written_by(call):
        shell.state.keep(path, stream)
    if ran:
        return ran[0]
    return _written(shell, call, stdin)


def _written(shell: Shell, call: Call, stdin: Stream | None) -> Stream:
    """Say what a program writes."""
    known, given = taken_apart(call)
    shown = _shown(shell, call)
    if shown is not None:
        return shown
    text = None
    if all(word.known for word in call.words):
        text = output(call.program, call.texts[1:], stdin.text if stdin else None)
    downloaded = known.fetches or bool(stdin and stdin.downloaded)
    maker = stdin.maker if stdin and stdin.downloaded and stdin.maker else call
    endless = written_files.is_endless(call, given) or bool(
        stdin and stdin.endless and call.program in ("tee", "cat", "pv")
    )
    if endless and stdin and stdin.endless and call.program == "tee":
        shell.noticed.add(Warning(Kind.EXHAUSTS, f"{stdin.maker} → {call}"))
    decoded = text is not None and (written_files.decodes(call) or bool(stdin and stdin.decoded))
    return Stream(text, maker, downloaded and text is None, endless, decoded)


def _script(shell: Shell, call: Call, runs: Runs) -> Stream:
    """Follow what a call hands to a shell."""
    stream = shell.state.file(runs.file) if runs.file else runs.stream
    if stream is None:
        return UNSEEN
    if stream.text is None:
        shell.fed.append(Fed(call, stream))
        if runs.partly and runs.shell:
            shell.script(runs.partly)
        return UNSEEN
    if stream.decoded:
        shell.fed.append(Fed(call, stream))
    if not runs.shell:
        return UNSEEN
    if runs.recipes:
        lines = [line.lstrip("\t@-+") for line in stream.text.splitlines() if line.startswith("\t")]
        return shell.script("\n".join(lines))
    before = {str(place): shell.state.values.get(str(place)) for place in range(len(runs.arguments))}
    for place, word in enumerate(runs.arguments):
        shell.state.values[str(place)] = (word,)
    written = shell.script(stream.text)
    for key, values in before.items():
        shell.state.values.pop(key, None)
        if values is not None:
            shell.state.values[key] = values
    return written


def _function(shell: Shell, name: str, words: tuple[Word, ...], stdin: Stream | None) -> Stream:
    if name in shell.running:
        tree, body = shell.state.functions[name]
        if any(mark in tree.text(body) for mark in ("|", "&")):
            shell.noticed.add(Warning(Kind.EXHAUSTS, f"{name} calls itself"))
        return UNSEEN
    before = {key: value for key, value in shell.state.values.items() if key.isdigit() or key in "@*#"}
    shell.state.give(words[1:])
    shell.running.append(name)
    written = shell.body(*shell.state.functions[name], stdin)
    shell.running.pop()
    shell.state.values |= before
    return written


def _shown(shell: Shell, call: Call) -> Stream | None:
    """Give what a file holds that the script itself wrote: `base64 -d p > x; cat x | sh`."""
    if call.program not in written_files.SHOWING:
        return None
    given = [text for text in call.texts[1:] if text in shell.state.files]
    if not given:
        return None
    stream = shell.state.files[given[0]]
    rest = tuple(text for text in call.texts[1:] if text != given[0])
    return replace(stream, text=output(call.program, rest, stream.text)) if stream.text is not None else stream


def _quoted(text: str) -> str:
    return text if text.isalnum() or is_assignment(text) else "'" + text.replace("'", "'\\''") + "'"
