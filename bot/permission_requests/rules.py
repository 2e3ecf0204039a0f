"""Rules that allow requests without asking, and which requests they match."""

import posixpath
import re
from dataclasses import dataclass
from enum import Enum

from bot import risk
from bot.permission_requests import command_rules
from bot.permission_requests.permission_request import PermissionRequest
from bot.permission_requests.rule_exceptions import is_run, may_be_run
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
from bot.risk.project_paths import is_inside, relative

KIND_SUFFIX = ":*"
"""Ends a rule for a kind of command."""
FOLDER_SUFFIX = "/**"
"""Ends a rule for a folder."""
_PLAIN_PATH = re.compile(r"/[A-Za-z0-9_./ @+,=()\[\]#-]*[A-Za-z0-9_@+,=()\[\]#-]")


class Scope(Enum):
    CONVERSATION = "conversation"
    PROJECT = "project"


@dataclass(frozen=True, slots=True)
class Rule:
    """A rule in the syntax of Claude Code. Its meaning is defined here."""

    tool: str
    content: str = ""

    def __str__(self) -> str:
        return f"{self.tool}({self.content})" if self.content else self.tool


EVERY_EDIT = Rule("Edit")
"""Edits to files in the project, except those that other programs run or read as instructions."""


@dataclass(frozen=True, slots=True)
class SavedRule:
    """A stored rule: its project or conversation, and who made it when."""

    id: int
    rule: Rule
    project: str
    conversation: int | None
    """The only conversation that the rule applies to; None for the whole project."""
    made_by: int | None
    """The Discord user; None if the rule comes from the permission mode of the conversation."""
    made_at: float


def allows(rule: Rule, request: PermissionRequest) -> bool:
    """Check whether a rule allows a request without asking anyone."""
    return covers(rule, request) and is_harmless(request)


def is_harmless(request: PermissionRequest) -> bool:
    """Check that a request has no warnings, and that its file is neither hidden nor behind a link."""
    elsewhere = request.file.leads_to or request.file.hidden
    return not (elsewhere or request.warnings or request.unchecked)


def covers(rule: Rule, request: PermissionRequest) -> bool:
    """Check whether a rule matches a request, regardless of warnings."""
    folder = request.origin.folder
    match rule.tool, request.action:
        case "Bash", RunCommand(command=command, extra=extra) if not extra:
            return _is_command(rule.content, command)
        case "Edit", EditFile(path=path, extra=extra) | WriteFile(path=path, extra=extra) | EditCell(
            path=path, extra=extra
        ) if not extra:
            return _is_file(rule.content, path, folder)
        case "WebFetch", FetchPage(url=url, extra=extra) if not extra:
            return bool(host := host_of(url)) and rule.content == f"domain:{host}"
        case "WebSearch", UseTool(tool="WebSearch", arguments=given):
            return not rule.content and set(given) <= {"query", "allowed_domains", "blocked_domains"}
        case tool, CallMcp(tool=own, arguments=arguments) if tool == request.tool_name:
            return not (rule.content or risk.runs_code(own) or risk.carries_code(arguments))
    return False


def _is_command(content: str, command: str) -> bool:
    if not content.endswith(KIND_SUFFIX):
        return bool(content) and command == content
    found = command_rules.find_kind(command)
    return found is not None and found[0] == content.removesuffix(KIND_SUFFIX)


def _is_file(content: str, path: str, folder: str) -> bool:
    """Check whether a rule for edits covers a file. A rule is for a file, a folder, or (`Edit` alone) the project."""
    if not _PLAIN_PATH.fullmatch(path) or posixpath.normpath(path) != path or not is_inside(path, folder):
        return False
    inside = relative(path, folder)
    if content == f"/{path}":
        return not is_run(inside)
    below = content.endswith(FOLDER_SUFFIX) and f"/{path}".startswith(content.removesuffix("**"))
    return (below or not content) and not may_be_run(inside)
