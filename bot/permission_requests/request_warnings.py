"""The warnings on a request's card: the risks of its action."""

import shlex
from collections.abc import Iterator

from bot.permission_requests import urls
from bot.permission_requests.tool_input import (
    Action,
    CallMcp,
    EditCell,
    EditFile,
    FetchPage,
    Json,
    ReadFile,
    RunCommand,
    UseTool,
    WriteFile,
)
from bot.risk import code_warnings, sensitive_paths
from bot.risk.command_warnings import about_command, interpret
from bot.risk.path_warnings import about_path
from bot.risk.tool_arguments import COMMANDS, named_values, names_code
from bot.risk.warning_kinds import RiskWarning, WarningKind

__all__ = ["COMMANDS", "unchecked", "warnings"]

MAX_WARNINGS = 200
PATH_ENDINGS = (
    "path",
    "paths",
    "file",
    "files",
    "filename",
    "dir",
    "directory",
    "folder",
    "cwd",
    "source",
    "destination",
)
"""Endings of the names of path arguments of other tools."""


def warnings(action: Action, folder: str, leads_to: str = "") -> tuple[RiskWarning, ...]:
    """Return the warnings without duplicates, most serious first. `leads_to` is the file behind a link."""
    found = set(_warnings(action, folder))
    if leads_to:
        changes = not isinstance(action, ReadFile)
        found |= set(about_path(leads_to, folder, changes=changes, strict=True))
    order = list(WarningKind)
    return tuple(sorted(found, key=lambda warning: (order.index(warning.kind), warning.what)))[:MAX_WARNINGS]


def unchecked(action: Action) -> str:
    """Return a note about code in a command that was not checked; empty if there is none."""
    match action:
        case RunCommand(command=command):
            names = sorted(
                {name for call in interpret(command).calls if (name := code_warnings.unchecked_interpreter(call))}
            )
            return f"The code passed to {', '.join(names)} was not checked for risks." if names else ""
    return ""


def _warnings(action: Action, folder: str) -> Iterator[RiskWarning]:
    match action:
        case RunCommand(command=command):
            yield from about_command(command, folder)
        case EditFile(path=path) | WriteFile(path=path) | EditCell(path=path):
            yield from about_path(path, folder, changes=True)
        case ReadFile(path=path):
            yield from about_path(path, folder, changes=False)
        case FetchPage(url=url):
            yield from _about_address(url)
        case UseTool(arguments=arguments) | CallMcp(arguments=arguments):
            yield from _about_arguments(arguments, folder)


def _about_address(url: str) -> Iterator[RiskWarning]:
    address = urls.read(url)
    if address is None or not address.plain:
        yield RiskWarning(WarningKind.ADDRESS, f"leads to {address.host}" if address else "")
    if address is not None and address.is_local:
        yield RiskWarning(WarningKind.NEAR, address.host)


def _about_arguments(arguments: Json, folder: str) -> Iterator[RiskWarning]:
    """Check the arguments of another tool: the code that it runs and the paths that it uses."""
    values, complete = named_values(arguments)
    if not complete:
        yield RiskWarning(WarningKind.UNREADABLE)
    for name, value in values:
        texts = [one for one in value if isinstance(one, str)] if isinstance(value, list) else []
        if names_code(name) and isinstance(value, str):
            yield from _about_code(value, folder)
        elif names_code(name) and texts:
            yield from about_command(shlex.join(texts), folder)
        elif isinstance(value, str) and name.casefold().endswith(PATH_ENDINGS) and sensitive_paths.is_path(value):
            yield from about_path(value, folder, changes=True)
    program_, words = _separate_arguments(arguments)
    if program_:
        yield from about_command(shlex.join((program_, *words)), folder)


def _separate_arguments(arguments: Json) -> tuple[str, list[str]]:
    """Find a program with separate arguments, such as `{"command": "rm", "args": ["-rf", "src"]}`."""
    words = [
        one
        for key, value in arguments.items()
        if isinstance(value, list) and key.casefold() in ("args", "arguments", "argv")
        for one in value
        if isinstance(one, str)
    ]
    program_ = next(
        (
            value
            for key, value in arguments.items()
            if key.casefold() in COMMANDS | {"program"} and isinstance(value, str)
        ),
        "",
    )
    return (program_, words) if words else ("", [])


def _about_code(text: str, folder: str) -> Iterator[RiskWarning]:
    """Check code in an unknown language that another tool runs."""
    yield from about_command(text, folder, others=True)
    kinds = {*code_warnings.about_sql(text), *code_warnings.about_code(text)}
    yield from (RiskWarning(kind, text) for kind in kinds)
