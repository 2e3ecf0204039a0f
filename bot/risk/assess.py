"""What to warn of in a whole request."""

from collections.abc import Callable, Iterator

from bot.requests.actions import CallMcp, EditCell, EditFile, Json, ReadFile, RunCommand, UseTool, WriteFile, read
from bot.requests.changes import relative
from bot.requests.tickets import Ticket
from bot.risk import paths
from bot.risk.calls import Found, find, git, inline_code, is_assignment, program
from bot.risk.harmless import GIT_READERS, LISTERS, NO_PATHS, PATTERN_FIRST, READERS
from bot.risk.kinds import Kind, Warning  # noqa: A004 - it is one
from bot.risk.programs import about_call, about_variables, downloaded_then_run
from bot.risk.shell import Call, Word
from shared.protocol import Request

COMMANDS = frozenset({"command", "cmd", "script"})
"""What other tools call a shell command."""
PATHS = ("path", "paths", "file", "files", "filename", "dir", "directory", "folder", "cwd", "source", "destination")
"""How other tools' names for a path end."""
PROGRAM_FOLDERS = ("/bin/", "/usr/bin/", "/usr/local/bin/", "/opt/homebrew/bin/", "/sbin/", "/usr/sbin/")
MOST_PLACES = 8
_CONFIGURATIONS: tuple[tuple[Kind, Callable[[str], bool]], ...] = (
    (Kind.GIT, paths.is_git_configuration),
    (Kind.SHELL, paths.is_shell_configuration),
    (Kind.CI, paths.is_ci),
    (Kind.CLAUDE, paths.is_claude_setting),
)


def warnings_of(ticket: Ticket) -> tuple[Warning, ...]:
    """List what a person should know before deciding on a ticket."""
    return warnings(ticket.request, ticket.origin.folder, ticket.file.leads_to)


def warnings(request: Request, folder: str, leads_to: str = "") -> tuple[Warning, ...]:
    """List what a person should know, each once, the gravest first; `leads_to` is the file behind a link."""
    found = set(_warnings(request, folder))
    if leads_to:
        found |= set(_about_path(leads_to, folder, changes=not isinstance(read(request), ReadFile)))
    order = list(Kind)
    return tuple(sorted(found, key=lambda warning: (order.index(warning.kind), warning.what)))


def unchecked(request: Request) -> str:
    """Say what in a command these warnings can't see; empty when there is nothing."""
    match read(request):
        case RunCommand(command=command):
            names = sorted({name for call in find(command).calls if (name := inline_code(call))})
            return f"The code given to {', '.join(names)} was not checked for risks." if names else ""
    return ""


def _warnings(request: Request, folder: str) -> Iterator[Warning]:
    match read(request):
        case RunCommand(command=command):
            yield from _about_command(find(command), folder)
        case EditFile(path=path) | WriteFile(path=path) | EditCell(path=path):
            yield from _about_path(path, folder, changes=True)
        case ReadFile(path=path):
            yield from _about_path(path, folder, changes=False)
        case UseTool(arguments=arguments) | CallMcp(arguments=arguments):
            for key, value in _texts(arguments):
                if key in COMMANDS:
                    yield from _about_command(find(value), folder)
                elif key.endswith(PATHS) and paths.is_path(value):
                    yield from _about_path(value, folder, changes=True)


def _texts(arguments: Json) -> Iterator[tuple[str, str]]:
    """List the texts among a tool's arguments, those in lists as well, by their names in lower case."""
    for key, value in arguments.items():
        for one in value if isinstance(value, list) else (value,):
            if isinstance(one, str):
                yield key.casefold(), one


def _about_command(found: Found, folder: str) -> Iterator[Warning]:
    if not found.understood:
        yield Warning(Kind.UNREADABLE)
    places = _places(found.calls)
    for redirect in found.redirects:
        for target, place in _meant(redirect.target.text, places):
            if paths.is_path(target) and not target.isdigit():
                yield from _about_path(target, folder, changes=redirect.writes, place=place)
                if redirect.writes and paths.is_device(target):
                    yield Warning(Kind.DEVICE, target)
    for call in found.calls:
        yield from about_call(call)
        yield from _about_arguments(call, folder, places)
    yield from about_variables(found)
    for name, value in found.assigned:  # X=/etc/passwd; cat $X
        if name in found.variables and name != "PATH" and paths.is_path(value.text):
            yield from _about_path(value.text, folder, changes=False)
    yield from downloaded_then_run(found.calls)


def _places(calls: tuple[Call, ...]) -> tuple[str, ...]:
    """Name the folders that a command goes into: `cd .git && echo … > config`."""
    gone = [call.texts[-1] for call in calls if program(call) in ("cd", "pushd") and len(call.words) > 1]
    return tuple(dict.fromkeys(gone))[:MOST_PLACES]


def _meant(path: str, places: tuple[str, ...]) -> Iterator[tuple[str, str]]:
    """Read a path as it stands, its braces opened, and from each folder that the command goes into."""
    for one in paths.unbraced(path):
        yield one, ""
        if not one.startswith(("/", "~")):
            yield from ((f"{place}/{one}", place) for place in places)


def _about_arguments(call: Call, folder: str, places: tuple[str, ...]) -> Iterator[Warning]:
    name = program(call)
    if name == "cd" and len(call.words) == 1:
        yield Warning(Kind.OUTSIDE, "~")
    if call.words and "/" in call.texts[0] and not call.texts[0].startswith(PROGRAM_FOLDERS):
        yield from _about_path(call.texts[0], folder, changes=False)
    if name in NO_PATHS:
        return
    reads = name in READERS or (name == "git" and git(call)[0] in GIT_READERS)
    into = () if name in ("cd", "pushd") else places
    for path, place in (one for given in _paths(call) for one in _meant(given, into)):
        yield from _about_path(path, folder, changes=not reads, secrets=name not in LISTERS, place=place)


def _about_path(path: str, folder: str, *, changes: bool, secrets: bool = True, place: str = "") -> Iterator[Warning]:
    """Judge a path; `place` is the folder that the command may have gone into, and is named in its stead."""
    if not place and paths.is_outside(path, folder):
        yield Warning(Kind.OUTSIDE, path)
    inside = relative(path, folder)  # that the project itself stands in ~/.claude says nothing
    if secrets and paths.is_secret(inside):
        yield Warning(Kind.SECRET, place or path)
    if changes:
        yield from (Warning(kind, place or path) for kind, concerns in _CONFIGURATIONS if concerns(inside))


def _paths(call: Call) -> Iterator[str]:
    """Name the arguments that may be paths."""
    words = list(call.words[1:])
    if program(call) in PATTERN_FIRST:
        pattern = next((word for word in words if not word.text.startswith("-")), None)
        words = [word for word in words if word is not pattern]
    yield from (path for path in map(_value, words) if paths.is_path(path))


def _value(word: Word) -> str:
    """Take `x` out of `--out=x`, `if=x` and curl's `@x`."""
    text = word.text
    if text.startswith("-") or is_assignment(text):
        text = text.partition("=")[2]
    return text.removeprefix("@")
