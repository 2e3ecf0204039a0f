"""The rules that *Always…* offers for a request, in plain words."""

import hashlib
import posixpath
import re
from collections.abc import Iterator
from dataclasses import dataclass

from bot.permission_requests import command_rules
from bot.permission_requests.cached import cached
from bot.permission_requests.permission_request import PermissionRequest
from bot.permission_requests.rules import BELOW, EVERY_EDIT, KIND, Rule, Scope, is_about, is_harmless
from bot.permission_requests.tool_input import (
    CallMcp,
    EditCell,
    EditFile,
    FetchPage,
    RunCommand,
    UseTool,
    WriteFile,
)
from bot.permission_requests.urls import host_of
from bot.risk.nested_commands import INTERPRETERS, SHELLS, WRAPPERS
from bot.risk.program_warnings import DOWNLOADERS, ELEVATORS, LATER, SOURCES
from bot.risk.shell_parser import parse

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
"""Programs that do whatever their arguments say: no rule is offered for them, not even for one exact command."""
MOST_COMMAND = 200
BUT_NOT = "except to files that other programs run or read as instructions"
_FIXED = re.compile(r"[A-Za-z0-9 _./:=@%+,'\"-]+")
"""The characters of a command that can be read at a glance in one line."""
_TOOL = re.compile(r"mcp__[A-Za-z0-9_-]+")


@dataclass(frozen=True, slots=True)
class Offer:
    """A rule that a person may choose, in plain words."""

    rule: Rule
    words: str
    allows: str
    """An example of what the rule would allow."""
    still_asks: str
    """An example of what it would not."""
    scope: Scope = Scope.CONVERSATION

    @property
    def id(self) -> str:
        """Identify it by what it allows, not by its position, which an upgrade between card and click could change."""
        return f"{self.scope.value}-{hashlib.sha256(str(self.rule).encode()).hexdigest()[:16]}"


EDIT_FREELY = Offer(EVERY_EDIT, f"edits in the project, {BUT_NOT}", "src/app.py", "package.json")
"""The rule that comes with a plan approved this way."""


@cached
def offers(request: PermissionRequest) -> tuple[Offer, ...]:
    """List the rules to offer for a request, narrowest first. Each would have allowed this very request."""
    found = [one for one in _offers(request) if is_about(one.rule, request)]
    if not found or not is_harmless(request):
        return ()
    return tuple(Offer(one.rule, one.words, one.allows, one.still_asks, scope) for one in found for scope in Scope)


def _offers(request: PermissionRequest) -> Iterator[Offer]:
    match request.action:
        case RunCommand(command=command):
            yield from _for_command(command)
        case EditFile(path=path) | WriteFile(path=path) | EditCell(path=path):
            yield from _for_path(path, request.origin.folder)
        case FetchPage(url=url):
            host = host_of(url)
            yield Offer(Rule("WebFetch", f"domain:{host}"), f"all pages of {host}", f"https://{host}/x", "other hosts")
        case CallMcp(server=server) if _TOOL.fullmatch(request.tool_name):
            words = "this tool, with any arguments that are no command, code or query"
            others = f"other tools of {server}"
            yield Offer(Rule(request.tool_name), words, "the same with other arguments", others)
        case UseTool(tool="WebSearch"):
            yield Offer(Rule("WebSearch"), "every web search", "any other search", "fetching a page")


def _for_command(command: str) -> Iterator[Offer]:
    script = parse(command) if len(command) <= MOST_COMMAND and _FIXED.fullmatch(command) else None
    if script is None or not script.plain or command.endswith(KIND):
        return
    first, program = script.calls[0].texts[0], script.calls[0].program
    if "/" in first or program.rstrip("0123456789.") in NEVER or first in NEVER:
        return
    yield Offer(Rule("Bash", command), "exactly this command", command, f"{command} --help")
    if (found := command_rules.kind_of(command)) is not None and found[1].varies:
        name, kind = found
        yield Offer(
            Rule("Bash", f"{name}{KIND}"),
            f"{name} with {kind.varies}",
            f"{name} {kind.allows}",
            f"{name} {kind.still_asks}",
        )


def _for_path(path: str, folder: str) -> Iterator[Offer]:
    place, name = posixpath.split(path)
    near = posixpath.relpath(place, folder) if place.startswith("/") else "."
    yield Offer(Rule("Edit", f"/{path}"), "edits to this file", f"another edit of {name}", "other files")
    if near != ".":
        words = f"edits in {near}/, {BUT_NOT}"
        yield Offer(
            Rule("Edit", f"/{place}{BELOW}"), words, f"{near}/another{posixpath.splitext(name)[1]}", f"{near}/Makefile"
        )
