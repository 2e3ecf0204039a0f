"""Finds the files that a call names, and what it does to each."""

import posixpath
from collections.abc import Iterator
from dataclasses import dataclass, replace

from bot.risk.nested_commands import SHELLS, program, row_and_arguments
from bot.risk.program_arguments import CallArguments, is_assignment, matches
from bot.risk.program_table import ProgramRow
from bot.risk.sensitive_paths import is_path
from bot.risk.shell_types import ProgramCall, Word
from bot.risk.word_splitting import MAX_TEXT

_IN_PLACE = frozenset({"sed", "gsed", "perl", "ruby", "yq"})
_MODE = frozenset("rwxXst")
PROGRAM_FOLDERS = ("/bin/", "/usr/bin/", "/usr/local/bin/", "/opt/homebrew/bin/", "/sbin/", "/usr/sbin/", "/lib64/")


@dataclass(frozen=True, slots=True)
class NamedFile:
    path: str
    changes: bool
    shows: bool = True
    """Whether its content is shown."""
    runs: bool = False
    place: str = ""
    """The folder that the path is relative to."""


def files_of(call: ProgramCall) -> Iterator[NamedFile]:
    """Yield the files that a call names, in each folder that it may run in."""
    for one in dict.fromkeys(_named(call)):
        yield from from_each(one, call.folders)


def from_each(file: NamedFile, folders: tuple[str, ...]) -> Iterator[NamedFile]:
    if file.path.startswith(("/", "~")):
        yield file
    else:
        yield from (replace(file, path=posixpath.join(place, file.path), place=place) for place in folders)


def _named(call: ProgramCall) -> Iterator[NamedFile]:  # noqa: C901, PLR0912 - one per way to name a file
    if not call.words:
        return
    name, texts = program(call), call.texts
    known, arguments = row_and_arguments(call)
    if "/" in texts[0] and not texts[0].startswith(PROGRAM_FOLDERS) and is_path(texts[0]) and call.words[0].known:
        yield NamedFile(texts[0], changes=False, runs=True)
    reads = known.paths in ("read", "list") or any(matches(pattern, arguments, known) for pattern in known.reading)
    if name in _IN_PLACE:
        reads = not (arguments.has("-i") or arguments.has("--in-place*") or arguments.has("--inplace"))
    for option, value in arguments.options:
        if (
            value is None
            or option in known.texts
            or option in known.scripts
            or option in known.sql
            or option in known.code
        ):
            continue
        if option not in known.values and not known.values and reads:
            continue
        unpacks = name == "tar" and option in ("-C", "--directory") and arguments.has("-x")
        changes = (
            unpacks or option in known.writes or not (reads or option in known.reads or known.paths in ("none", "copy"))
        )
        if known.paths == "none" and option not in known.writes | known.reads:
            continue
        yield from _file(value, changes=changes, shows=known.paths not in ("list", "touch"))
    for given in arguments.given(*known.texts, *known.scripts):  # curl's `@file`
        if given.text.startswith("@"):
            yield from _file(given, changes=False)
        elif "=@" in given.text:
            yield from _file(Word(given.text.partition("=@")[2].partition(";")[0]), changes=False)
    for volume in arguments.given("-v", "--volume") if name in ("docker", "podman", "nerdctl") else ():
        yield from _file(Word(volume.text.partition(":")[0]), changes=True)
    if name == "dd":
        for text in texts[1:]:
            key, _, path = text.partition("=")
            if key in ("if", "of"):
                yield from _file(Word(path), changes=key == "of")
    if known.paths != "none":
        yield from _positionals(call, name, known, arguments, reads=reads)


def _positionals(
    call: ProgramCall, name: str, known: ProgramRow, arguments: CallArguments, *, reads: bool
) -> Iterator[NamedFile]:
    words = [word for word in arguments.positionals if known.language != "shell" or not _is_inline(arguments)]
    own_pattern = known.skip and not arguments.given("-e", "-f", "--file", "--expression", "--regexp")
    if name == "chmod" and any(text.startswith("-") and set(text[1:]) <= _MODE for text in call.texts[1:]):
        own_pattern = False
    words = words[known.skip if own_pattern else 0 :]
    if known.leads and words and own_pattern:
        words = words[0:] if known.skip else words[1:]
    yield from _patched(call, known, arguments)
    if name == "git" and words and words[0].text in ("show", "diff", "log", "grep", "cat-file", "archive"):
        words += [Word(word.text.partition(":")[2]) for word in words if ":" in word.text]
    shows = known.paths not in ("list", "touch")
    written = bool(arguments.given("-t", "--target-directory"))
    for place, word in enumerate(words):
        last = place == len(words) - 1
        match known.paths:
            case "copy" if not written and len(words) > 1:
                yield from _file(word, changes=last, shows=not last)
            case "copy":
                yield from _file(word, changes=False)
            case "link" if len(words) > 1 and not last and not written:
                near = posixpath.dirname(words[-1].text) if arguments.has("-s") or arguments.has("--symbolic") else ""
                whole = Word(posixpath.join(near, word.text)) if not word.text.startswith("~") else word
                yield from _file(whole, changes=False, shows=not word.text.startswith("/bin/"))
            case _:
                change = (
                    not reads
                    or (name == "tar" and arguments.has("-x"))
                    or (name == "uniq" and place == 1)
                    or (name == "xxd" and place == 1 and arguments.has("-r"))
                )
                yield from _file(
                    word, changes=change, shows=shows, runs=name in SHELLS | {"source", "."} and place == 0
                )


def _patched(call: ProgramCall, known: ProgramRow, arguments: CallArguments) -> Iterator[NamedFile]:
    """Yield the files that a patch in the command changes."""
    text = call.stdin.text if call.stdin is not None else None
    if text and any(matches(pattern, arguments, known) for pattern in known.feeds):
        for line in text[:MAX_TEXT].splitlines():
            if line.startswith(("+++ ", "--- ", "rename to ")):
                name = line.split("\t")[0].partition(" ")[2].removeprefix("to ")
                yield from _file(Word(name.partition("/")[2] if name.startswith(("a/", "b/")) else name), changes=True)


def _is_inline(arguments: CallArguments) -> bool:
    return any(option == "-c" for option, _ in arguments.options)


def _file(word: Word, *, changes: bool, shows: bool = True, runs: bool = False) -> Iterator[NamedFile]:
    """Yield the file that a word names, such as `x` in `if=x` and in curl's `@x`."""
    text = word.text.partition("=")[2] if is_assignment(word.text) else word.text
    text = text.removeprefix("@")
    if is_path(text) and (word.known or not text.startswith(("$", "`"))):
        yield NamedFile(text, changes, shows, runs)
