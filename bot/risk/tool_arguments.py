"""Finds commands and code among the arguments of other tools, at any depth."""

import re
from collections.abc import Mapping
from typing import Any

Json = Mapping[str, Any]
COMMANDS = frozenset({"command", "cmd", "script"})
"""Names of arguments that are shell commands."""
MAX_ARGUMENTS = 5_000
"""Number of values that are checked; more than that may contain anything."""
MAX_DEPTH = 30
LONGEST_NAME = 200
_CODE = frozenset(
    {
        *("command", "commands", "commandline", "cmd", "cmds", "cmdline", "script", "scripts", "shell", "bash", "sh"),
        *(
            "zsh",
            "powershell",
            "pwsh",
            "terminal",
            "exec",
            "execute",
            "executable",
            "eval",
            "evaluate",
            "run",
            "program",
        ),
        *("args", "argv", "arguments", "entrypoint", "code", "snippet", "expression", "expr", "function", "lambda"),
        *("javascript", "js", "typescript", "python", "ruby", "perl", "php", "lua", "sql", "query", "queries"),
        *("statement", "statements", "mutation", "cypher", "pipeline", "hook", "stdin", "keys", "keystrokes", "macro"),
    }
)
"""Words in the name of an argument whose value is run."""
_RUNNERS = frozenset(
    {
        *("command", "commands", "cmd", "shell", "bash", "sh", "zsh", "powershell", "pwsh", "terminal", "exec", "eval"),
        *("execute", "evaluate", "sql", "script", "repl"),
    }
)
"""Words in the name of a tool that runs its arguments."""
_NAMING = frozenset({"name", "key", "type", "kind", "id", "language", "lang", "param", "parameter"})
"""`{"name": "command", "value": "rm -rf src"}` names its value by another value."""
_WORD = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+")


def carries_code(arguments: Json) -> bool:
    """Check whether a tool gets code to run, by the names of its arguments at any depth; True in doubt."""
    found, complete = named_values(arguments)
    return not complete or any(map(names_code, {name for name, _ in found}))


def runs_code(tool: str) -> bool:
    """Check whether the name of a tool says that it runs its arguments: `execute`, `send_to_shell`."""
    words = [found.casefold() for found in _WORD.findall(tool[:LONGEST_NAME])]
    return len(tool) > LONGEST_NAME or words[:1] == ["run"] or not _RUNNERS.isdisjoint(words)


def names_code(name: str) -> bool:
    """Check whether the name of an argument says that its value is run: `command_line`, `shellScript`, `sql`."""
    words = [found.casefold() for found in _WORD.findall(name[:LONGEST_NAME])]
    return len(name) > LONGEST_NAME or not _CODE.isdisjoint(words) or "".join(words) in _CODE


def named_values(arguments: Json) -> tuple[list[tuple[str, Any]], bool]:
    """Return every value with its name, at any depth, and whether the list is complete."""
    found: list[tuple[str, Any]] = []
    waiting: list[tuple[str, Any, int]] = [("", arguments, 0)]
    complete = True
    while waiting:
        if len(found) > MAX_ARGUMENTS:
            return found, False
        name, value, depth = waiting.pop()
        if isinstance(value, dict | list) and (depth > MAX_DEPTH or len(value) > MAX_ARGUMENTS):
            complete = False
        elif isinstance(value, dict):
            naming = [text for key, text in value.items() if key.casefold() in _NAMING and isinstance(text, str)]
            found += [(text, one) for text in naming for one in value.values() if isinstance(one, str | list)]
            waiting += [(key, one, depth + 1) for key, one in reversed(value.items())]
        elif isinstance(value, list):
            found.append((name, value))
            waiting += [(name, one, depth + 1) for one in reversed(value)]
        else:
            found.append((name, value))
    return found, complete
