"""What to warn of in a whole request."""

from collections.abc import Callable, Iterator

from bot.requests.actions import EditCell, EditFile, ReadFile, RunCommand, UseTool, WriteFile, read
from bot.requests.changes import relative
from bot.risk import paths
from bot.risk.calls import Found, find, inline_code, is_assignment, program
from bot.risk.kinds import Kind, Warning  # noqa: A004 - it is one
from bot.risk.programs import about_call, downloaded_then_run, git
from bot.risk.shell import Call, Word
from shared.protocol import Request

READERS = frozenset(
    {
        *("cat", "bat", "less", "more", "head", "tail", "grep", "egrep", "fgrep", "rg", "ag", "ls", "ll", "tree", "wc"),
        *("diff", "cmp", "stat", "file", "sort", "uniq", "jq", "yq", "cut", "nl", "od", "xxd", "strings", "find", "fd"),
        *("du", "readlink", "realpath", "basename", "dirname", "test", "[", "md5sum", "sha256sum", "cksum", "column"),
        *("cd", "pushd", "which", "type"),
    }
)
"""They change nothing, whatever file they are given."""
LISTERS = frozenset(
    {"ls", "ll", "tree", "stat", "test", "[", "du", "realpath", "readlink", "cd", "chmod", "rm", "mkdir"}
)
"""They don't show what is in a file."""
NO_PATHS = frozenset({"echo", "printf", "kill", "sleep", "exit", "true", "false", "seq", "date"})
PATTERN_FIRST = frozenset(
    {"grep", "egrep", "fgrep", "rg", "ag", "sed", "awk", "gawk", "jq", "yq", "perl", "tr", "expr"}
)
GIT_READERS = frozenset(
    {
        "status",
        "log",
        "diff",
        "show",
        "add",
        "blame",
        "ls-files",
        "check-ignore",
        "rev-parse",
        "grep",
        "commit",
        "branch",
    }
)
PROGRAM_FOLDERS = ("/bin/", "/usr/bin/", "/usr/local/bin/", "/opt/homebrew/bin/", "/sbin/", "/usr/sbin/")
_CONFIGURATIONS: tuple[tuple[Kind, Callable[[str], bool]], ...] = (
    (Kind.GIT, paths.is_git_configuration),
    (Kind.SHELL, paths.is_shell_configuration),
    (Kind.CI, paths.is_ci),
    (Kind.CLAUDE, paths.is_claude_setting),
)


def warnings(request: Request, folder: str) -> tuple[Warning, ...]:
    """List what a person should know, each once, the gravest first."""
    found = set(_warnings(request, folder))
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
        case UseTool(arguments=arguments):
            for key in ("path", "file_path", "notebook_path"):
                if isinstance(value := arguments.get(key), str):
                    yield from _about_path(value, folder, changes=True)
            if isinstance(value := arguments.get("command"), str):
                yield from _about_command(find(value), folder)


def _about_command(found: Found, folder: str) -> Iterator[Warning]:
    if not found.understood:
        yield Warning(Kind.UNREADABLE)
    for redirect in found.redirects:
        target = redirect.target.text
        if paths.is_path(target) and not target.isdigit():
            yield from _about_path(target, folder, changes=redirect.writes)
            if redirect.writes and paths.is_device(target):
                yield Warning(Kind.DEVICE, target)
    for call in found.calls:
        yield from about_call(call)
        yield from _about_arguments(call, folder)
    yield from downloaded_then_run(found.calls)


def _about_arguments(call: Call, folder: str) -> Iterator[Warning]:
    name = program(call)
    if call.words and "/" in call.texts[0] and not call.texts[0].startswith(PROGRAM_FOLDERS):
        yield from _about_path(call.texts[0], folder, changes=False)
    if name in NO_PATHS:
        return
    reads = name in READERS or (name == "git" and git(call)[0] in GIT_READERS)
    for path in _paths(call):
        yield from _about_path(path, folder, changes=not reads, secrets=name not in LISTERS)


def _about_path(path: str, folder: str, *, changes: bool, secrets: bool = True) -> Iterator[Warning]:
    if paths.is_outside(path, folder):
        yield Warning(Kind.OUTSIDE, path)
    inside = relative(path, folder)  # that the project itself stands in ~/.claude says nothing
    if secrets and paths.is_secret(inside):
        yield Warning(Kind.SECRET, path)
    if changes:
        yield from (Warning(kind, path) for kind, concerns in _CONFIGURATIONS if concerns(inside))


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
