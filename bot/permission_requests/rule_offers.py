"""The rules that *Always…* offers for a request, with their descriptions."""

import hashlib
import posixpath
import re
from collections.abc import Iterator
from dataclasses import dataclass

from bot.permission_requests import command_rules
from bot.permission_requests.cached import cached
from bot.permission_requests.permission_request import PermissionRequest
from bot.permission_requests.rules import EVERY_EDIT, FOLDER_SUFFIX, KIND_SUFFIX, Rule, Scope, covers, is_harmless
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

NEVER_OFFERED = (
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
MAX_COMMAND = 200
EXCEPT_RUN_FILES = "except to files that other programs run or read as instructions"
_READABLE = re.compile(r"[A-Za-z0-9 _./:=@%+,'\"-]+")
"""Characters of a command that is easy to read in one line."""
_MCP_TOOL = re.compile(r"mcp__[A-Za-z0-9_-]+")


@dataclass(frozen=True, slots=True)
class Offer:
    """A rule that a person can choose, with its description."""

    rule: Rule
    words: str
    allows: str
    """An example of what the rule would allow."""
    still_asks: str
    """An example of what the rule would not allow."""
    scope: Scope = Scope.CONVERSATION

    @property
    def id(self) -> str:
        """Identify the offer by its rule; its position could change in an upgrade between card and click."""
        return f"{self.scope.value}-{hashlib.sha256(str(self.rule).encode()).hexdigest()[:16]}"


EDIT_FREELY = Offer(EVERY_EDIT, f"edits in the project, {EXCEPT_RUN_FILES}", "src/app.py", "package.json")
"""The rule that *Approve and allow edits* creates on the card of a plan."""


@cached
def offers(request: PermissionRequest) -> tuple[Offer, ...]:
    """Return the rules to offer for a request, narrowest first. Each of them would have allowed this request."""
    found = [one for one in _candidates(request) if covers(one.rule, request)]
    if not found or not is_harmless(request):
        return ()
    return tuple(Offer(one.rule, one.words, one.allows, one.still_asks, scope) for one in found for scope in Scope)


def _candidates(request: PermissionRequest) -> Iterator[Offer]:
    match request.action:
        case RunCommand(command=command):
            yield from _for_command(command)
        case EditFile(path=path) | WriteFile(path=path) | EditCell(path=path):
            yield from _for_path(path, request.origin.folder)
        case FetchPage(url=url):
            host = host_of(url)
            yield Offer(Rule("WebFetch", f"domain:{host}"), f"all pages on {host}", f"https://{host}/x", "other hosts")
        case CallMcp(server=server) if _MCP_TOOL.fullmatch(request.tool_name):
            words = "this tool with any arguments, except commands, code and queries"
            others = f"other tools of {server}"
            yield Offer(Rule(request.tool_name), words, "the same with other arguments", others)
        case UseTool(tool="WebSearch"):
            yield Offer(Rule("WebSearch"), "every web search", "any other search", "fetching a page")


def _for_command(command: str) -> Iterator[Offer]:
    script = parse(command) if len(command) <= MAX_COMMAND and _READABLE.fullmatch(command) else None
    if script is None or not script.plain or command.endswith(KIND_SUFFIX):
        return
    first, program = script.calls[0].texts[0], script.calls[0].program
    if "/" in first or program.rstrip("0123456789.") in NEVER_OFFERED or first in NEVER_OFFERED:
        return
    yield Offer(Rule("Bash", command), "exactly this command", command, f"{command} --help")
    if (found := command_rules.find_kind(command)) is not None and found[1].varies:
        name, kind = found
        yield Offer(
            Rule("Bash", f"{name}{KIND_SUFFIX}"),
            f"{name} with {kind.varies}",
            f"{name} {kind.allows}",
            f"{name} {kind.still_asks}",
        )


def _for_path(path: str, folder: str) -> Iterator[Offer]:
    place, name = posixpath.split(path)
    near = posixpath.relpath(place, folder) if place.startswith("/") else "."
    yield Offer(Rule("Edit", f"/{path}"), "edits to this file", f"another edit of {name}", "other files")
    if near != ".":
        words = f"edits in {near}/, {EXCEPT_RUN_FILES}"
        yield Offer(
            Rule("Edit", f"/{place}{FOLDER_SUFFIX}"),
            words,
            f"{near}/another{posixpath.splitext(name)[1]}",
            f"{near}/Makefile",
        )
