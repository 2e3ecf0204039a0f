"""Rules: which "always" a person may choose for a request, in Claude Code's own syntax."""

import hashlib
import posixpath
import re
from collections.abc import Iterator
from dataclasses import dataclass
from enum import Enum
from urllib.parse import urlsplit

from bot import risk
from bot.requests.actions import CallMcp, EditCell, EditFile, FetchPage, RunCommand, UseTool, WriteFile, read
from bot.requests.changes import is_inside
from bot.requests.tickets import Ticket
from bot.risk.assess import COMMANDS
from bot.risk.calls import INTERPRETERS, SHELLS, WRAPPERS
from bot.risk.programs import DOWNLOADERS, ELEVATORS, LATER, SOURCES
from bot.risk.shell import parse
from shared.protocol import Request

NEVER = (
    frozenset({"rm", "xargs", "find", "dd", "ssh"})
    | SHELLS
    | INTERPRETERS
    | WRAPPERS
    | ELEVATORS
    | SOURCES
    | LATER
    | DOWNLOADERS
)
"""Programs that do whatever their arguments say: even one exact command is decided each time."""
KINDS: dict[str, tuple[str, ...]] = {
    "npm": ("test", "ci", "run *"),
    "pnpm": ("test", "run *"),
    "yarn": ("test", "run *"),
    "cargo": ("build", "check", "clippy", "fmt", "test"),
    "dotnet": ("build", "test"),
    "git": ("add", "commit", "status"),
    "gradle": ("build", "test"),
    "mvn": ("compile", "test"),
    "mypy": ("",),
    "pytest": ("",),
    "ruff": ("check", "format"),
    "tsc": ("",),
}
"""The programs, and their first words, for which "this kind of command" says something: `*` is any one word.

What is not here can be allowed word for word only: with other arguments, most programs are another program.
"""
CODE = COMMANDS | {"code", "expression", "function", "javascript"}
"""What an MCP tool calls the program that it is given."""
MOST_COMMAND = 200
_FIXED = re.compile(r"[A-Za-z0-9 _./:=@%+,'\"-]+")
"""An exact command must mean itself in a rule: `*` is a wildcard there, and brackets end it."""
_PLAIN_WORD = re.compile(r"[A-Za-z0-9_:.-]+")
_PLAIN_PATH = re.compile(r"/[A-Za-z0-9_./ @+-]+")  # rules for paths are patterns like those in .gitignore
_HOST = re.compile(r"[a-z0-9-]+(\.[a-z0-9-]+)+")
_TOOL = re.compile(r"mcp__[A-Za-z0-9_-]+")


class Scope(Enum):
    CONVERSATION = "conversation"
    PROJECT = "project"


@dataclass(frozen=True, slots=True)
class Rule:
    """A rule as the CLI matches it: its matcher knows shells, ours would not."""

    tool: str
    content: str = ""

    def __str__(self) -> str:
        return f"{self.tool}({self.content})" if self.content else self.tool


@dataclass(frozen=True, slots=True)
class Kept:
    """A rule that somebody chose."""

    id: int
    rule: Rule
    project: str
    conversation: int | None
    """The only conversation that it is for; None: every one of the project."""
    made_by: int
    made_at: float


@dataclass(frozen=True, slots=True)
class Offer:
    """A rule that a person may choose, in plain words."""

    rule: Rule
    words: str
    allows: str
    """An example of what would no longer ask."""
    still_asks: str
    """An example of what would."""
    scope: Scope = Scope.CONVERSATION

    @property
    def id(self) -> str:
        """Name it by what it allows, not by its place, which an upgrade between card and click could change."""
        return f"{self.scope.value}-{hashlib.sha256(str(self.rule).encode()).hexdigest()[:16]}"


def offers_for(ticket: Ticket) -> tuple[Offer, ...]:
    """List what may be offered for a ticket; nothing behind a link, which may lead elsewhere tomorrow."""
    return () if ticket.file.leads_to else offers(ticket.request, ticket.origin.folder)


def offers(request: Request, folder: str) -> tuple[Offer, ...]:
    """List what may be offered for a request, narrowest first; nothing where each one deserves a look."""
    if risk.warnings(request, folder) or risk.unchecked(request):
        return ()
    found = tuple(_offers(request, folder))
    return tuple(Offer(one.rule, one.words, one.allows, one.still_asks, scope) for one in found for scope in Scope)


def _offers(request: Request, folder: str) -> Iterator[Offer]:
    match read(request):
        case RunCommand(command=command, extra=extra) if not extra:
            yield from _for_command(command)
        case EditFile(path=path) | WriteFile(path=path) | EditCell(path=path):
            yield from _for_path(posixpath.normpath(posixpath.join(folder, path)), folder)
        case FetchPage(url=url):
            yield from _for_page(url)
        case CallMcp(server=server, arguments=arguments) if _TOOL.fullmatch(request.tool_name):
            if any(key.casefold() in CODE for key in arguments):
                return  # a shell or an interpreter in another coat
            others = f"other tools of {server}"
            yield Offer(
                Rule(request.tool_name), "this tool, with any arguments", "the same with other arguments", others
            )
        case UseTool(tool="WebSearch"):
            yield Offer(Rule("WebSearch"), "every web search", "any other search", "fetching a page")


def _for_command(command: str) -> Iterator[Offer]:
    script = parse(command)
    if not script.plain or len(command) > MOST_COMMAND or not _FIXED.fullmatch(command) or command.endswith(":*"):
        return
    words = script.calls[0].texts
    if "/" in words[0] or script.calls[0].program.rstrip("0123456789.") in NEVER or words[0] in NEVER:
        return
    kind = _kind(words)
    yield Offer(Rule("Bash", command), "exactly this command", command, f"{command} --help")
    if kind:
        yield Offer(
            Rule("Bash", f"{kind}:*"), f"whatever begins with {kind}", f"{kind} --verbose", f"{kind}; rm -rf build"
        )


def _kind(words: tuple[str, ...]) -> str:
    for pattern in KINDS.get(words[0], ()):
        wanted = pattern.split()
        given = words[1 : 1 + len(wanted)]
        if len(given) == len(wanted) and all(
            (want == "*" and _PLAIN_WORD.fullmatch(word) and not word.startswith("-")) or want == word
            for want, word in zip(wanted, given, strict=True)
        ):
            return " ".join((words[0], *given))
    return ""


def _for_path(path: str, folder: str) -> Iterator[Offer]:
    if not _PLAIN_PATH.fullmatch(path) or not is_inside(path, folder):
        return
    place, name = posixpath.split(path)
    near = posixpath.relpath(place, folder)
    others = "files elsewhere" if near == "." else f"files outside of {near}/"
    yield Offer(Rule("Edit", f"/{path}"), "changes of this file", f"another change of {name}", "other files")
    if near != ".":  # all of the project would let what deserves a warning pass too
        yield Offer(Rule("Edit", f"/{place}/**"), f"changes of all files in {near}/", f"{near}/another-file", others)


def _for_page(url: str) -> Iterator[Offer]:
    try:
        parts = urlsplit(url)
        host = parts.hostname or ""
    except ValueError:
        return
    if parts.scheme in ("http", "https") and _HOST.fullmatch(host) and not parts.username:
        yield Offer(Rule("WebFetch", f"domain:{host}"), f"all pages of {host}", f"https://{host}/other", "other hosts")
