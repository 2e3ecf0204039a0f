"""Rules: what Claude may do without asking, and which requests a rule matches."""

import posixpath
import re
from dataclasses import dataclass
from enum import Enum

from bot import risk
from bot.permission_requests import command_rules
from bot.permission_requests.instruction_files import is_run, may_be_run
from bot.permission_requests.permission_request import PermissionRequest
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

KIND = ":*"
"""How the rule for a kind of command ends."""
BELOW = "/**"
"""How the rule for a folder ends."""
_PLAIN_PATH = re.compile(r"/[A-Za-z0-9_./ @+,=()\[\]#-]*[A-Za-z0-9_@+,=()\[\]#-]")


class Scope(Enum):
    CONVERSATION = "conversation"
    PROJECT = "project"


@dataclass(frozen=True, slots=True)
class Rule:
    """A rule, written like Claude Code's own. What it means is defined here, not there."""

    tool: str
    content: str = ""

    def __str__(self) -> str:
        return f"{self.tool}({self.content})" if self.content else self.tool


EVERY_EDIT = Rule("Edit")
"""Edits to files in the project, except those that other programs run or read as instructions."""


@dataclass(frozen=True, slots=True)
class SavedRule:
    """A rule as it was saved: for which project or conversation, by whom, when."""

    id: int
    rule: Rule
    project: str
    conversation: int | None
    """The only conversation that it applies to; None: all of the project's."""
    made_by: int | None
    """Who chose it; None where it comes with the conversation's mode."""
    made_at: float


def lets_pass(rule: Rule, request: PermissionRequest) -> bool:
    """Whether a rule allows a request without asking anyone."""
    return is_about(rule, request) and is_harmless(request)


def is_harmless(request: PermissionRequest) -> bool:
    """Whether a request has no warning, and its file is where its path says."""
    elsewhere = request.file.leads_to or request.file.hidden
    return not (elsewhere or request.warnings or request.unchecked)


def is_about(rule: Rule, request: PermissionRequest) -> bool:
    """Whether a request is of the kind that a rule names, whatever the warnings."""
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
    if not content.endswith(KIND):
        return bool(content) and command == content
    found = command_rules.kind_of(command)
    return found is not None and found[0] == content.removesuffix(KIND)


def _is_file(content: str, path: str, folder: str) -> bool:
    """Whether a rule for edits covers a file: it names one file, a folder, or (`Edit` alone) the project."""
    if not _PLAIN_PATH.fullmatch(path) or posixpath.normpath(path) != path or not is_inside(path, folder):
        return False
    inside = relative(path, folder)
    if content == f"/{path}":
        return not is_run(inside)
    below = content.endswith(BELOW) and f"/{path}".startswith(content.removesuffix("**"))
    return (below or not content) and not may_be_run(inside)
