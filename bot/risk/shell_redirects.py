"""Follows redirects: the file or here-document that a command reads, and the files that it writes."""

import posixpath
from dataclasses import dataclass
from typing import Protocol

from tree_sitter import Node

from bot.risk.shell_state import ShellState
from bot.risk.shell_types import PipeStream, ProgramCall, Redirect, Word, concatenate, stream_origin
from bot.risk.warning_kinds import RiskWarning, WarningKind
from bot.risk.word_expansion import WordInterpreter, parts_of, text_of
from bot.risk.word_splitting import joined, unmarked

_OF_DOCUMENT = frozenset({"heredoc_start", "heredoc_body", "heredoc_end", "file_descriptor"})
MAX_BESIDE = 20
"""Number of programs of a pipeline that are checked for reading the file that it writes."""


@dataclass(frozen=True, slots=True)
class ReplacedFile:
    """A file whose content is overwritten."""

    file: Word
    by: PipeStream
    pipeline: tuple[ProgramCall, ...]
    """The programs of the same pipeline, which run after the file was emptied."""
    folders: tuple[str, ...] = ("",)
    feeds_itself: bool = False
    """Whether it is also the input: `sort < f > f`."""


class FileInterpreter(Protocol):
    """Follows what a pipeline does to files."""

    replaced_files: list[ReplacedFile]
    pipeline: list[ProgramCall]
    state: ShellState


class RedirectInterpreter(FileInterpreter, WordInterpreter, Protocol):
    """Follows a command with its redirects."""

    redirects: list[Redirect]
    understood: bool


def stdin_from(shell: RedirectInterpreter, redirect: Node, stdin: PipeStream | None) -> PipeStream | None:
    """Return the input after a redirect."""
    match redirect.type:
        case "herestring_redirect":
            word = text_of(shell, redirect.named_children[-1])
            return PipeStream(word.text + "\n" if word.known else None, *stream_origin(word))
        case "heredoc_redirect":
            if any(shell.tree.is_misread(child) for child in redirect.children):
                shell.understood = False
            return _here_document(shell, redirect)
    if shell.tree.is_misread(redirect):
        shell.understood = False
    operator, target = _target(shell, redirect)
    shell.redirects.append(Redirect(operator, target, shell.state.folders))
    if operator in ("<", "<>", "<&"):
        return shell.state.read_file(target.text) or PipeStream(file=target.text)
    return stdin


def _here_document(shell: RedirectInterpreter, redirect: Node) -> PipeStream:
    body = next((child for child in redirect.named_children if child.type == "heredoc_body"), None)
    start = next((child for child in redirect.named_children if child.type == "heredoc_start"), None)
    if body is None:
        return PipeStream("")
    if start is not None and set(shell.tree.text(start)) & set("'\"\\"):
        return PipeStream(shell.tree.text(body))
    for inner in shell.tree.backticked(body):
        shell.follow_script(inner)
    word = unmarked(joined(parts_of(shell, body, body.start_byte, body.end_byte)))
    return PipeStream(word.text, *stream_origin(word)) if word.known else PipeStream(None, *stream_origin(word))


def write_files(shell: RedirectInterpreter, redirects: list[Node], written: PipeStream) -> PipeStream:
    """Remember the output that redirects write to files; return what is left for the pipe."""
    named = [(redirect, *_target(shell, redirect)) for redirect in redirects if redirect.type == "file_redirect"]
    read = {posixpath.normpath(target.text) for _, operator, target in named if operator == "<"}
    for redirect, operator, target in named:
        number = next((shell.tree.text(one) for one in redirect.named_children if one.type == "file_descriptor"), "")
        if target.text in ("/dev/stdout", "/dev/fd/1"):
            continue
        if ">" in operator and number in ("", "1") and "&" not in operator[1:]:
            before = shell.state.files.get(target.text, PipeStream("")) if operator == ">>" else PipeStream("")
            if operator == ">>" and written.maker is not None and target.text in written.maker.texts[1:]:
                shell.warnings.add(RiskWarning(WarningKind.EXHAUSTS, f"{written.maker} >> {target}"))
            if operator != ">>":
                replace_file(shell, target, written, feeds_itself=posixpath.normpath(target.text) in read)
            if written.endless:
                shell.warnings.add(RiskWarning(WarningKind.EXHAUSTS, f"{written.maker} → {target}"))
            shell.state.write_file(target.text, concatenate(before, written))
            written = PipeStream("")
    return written


def replace_file(shell: FileInterpreter, file: Word, by: PipeStream, *, feeds_itself: bool = False) -> None:
    pipeline = tuple(shell.pipeline[-MAX_BESIDE:])
    shell.replaced_files.append(ReplacedFile(file, by, pipeline, shell.state.folders, feeds_itself))


def _target(shell: RedirectInterpreter, redirect: Node) -> tuple[str, Word]:
    operator = next((shell.tree.text(child) for child in redirect.children if not child.is_named), "")
    targets = [child for child in redirect.named_children if child.type != "file_descriptor"]
    return operator, text_of(shell, targets[0]) if targets else Word("", known=False)


def nodes_after_target(redirect: Node) -> list[Node]:
    """Return the nodes after the target that the parser wrongly puts into a redirect."""
    match redirect.type:
        case "heredoc_redirect":
            return [child for child in redirect.named_children if child.type not in _OF_DOCUMENT]
        case "file_redirect":
            return [child for child in redirect.named_children if child.type != "file_descriptor"][1:]
    return []
