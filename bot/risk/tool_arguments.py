"""What other tools are given: the commands, the code and the paths among their arguments, however deep they stand."""

import re
from collections.abc import Mapping
from typing import Any

Json = Mapping[str, Any]
COMMANDS = frozenset({"command", "cmd", "script"})
"""What other tools call a shell command."""
MOST_ARGUMENTS = 5_000
"""Values that are looked at; what is beyond may hold anything."""
DEEPEST = 30
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
"""The words in a name that say: what stands here is run."""
_RUNNERS = frozenset(
    {
        *("command", "commands", "cmd", "shell", "bash", "sh", "zsh", "powershell", "pwsh", "terminal", "exec", "eval"),
        *("execute", "evaluate", "sql", "script", "repl"),
    }
)
"""The words in a tool's own name that say the same of whatever it is given."""
_NAMING = frozenset({"name", "key", "type", "kind", "id", "language", "lang", "param", "parameter"})
"""`{"name": "command", "value": "rm -rf src"}` names its value by another value."""
_WORD = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+")


def carries_code(arguments: Json) -> bool:
    """Whether a tool is given something to run, by the names of its arguments at any depth; in doubt it is."""
    found, complete = named_values(arguments)
    return not complete or any(map(names_code, {name for name, _ in found}))


def runs_code(tool: str) -> bool:
    """Whether a tool's name says that it runs what it is given, whatever it calls that: `execute`, `send_to_shell`."""
    words = [found.casefold() for found in _WORD.findall(tool[:LONGEST_NAME])]
    return len(tool) > LONGEST_NAME or words[:1] == ["run"] or not _RUNNERS.isdisjoint(words)


def names_code(name: str) -> bool:
    """Whether a name says that what it names is run: `command_line`, `shellScript`, `sql`."""
    words = [found.casefold() for found in _WORD.findall(name[:LONGEST_NAME])]
    return len(name) > LONGEST_NAME or not _CODE.isdisjoint(words) or "".join(words) in _CODE


def named_values(arguments: Json) -> tuple[list[tuple[str, Any]], bool]:
    """List every value with its name, in lists and objects as well, and say whether these are all."""
    found: list[tuple[str, Any]] = []
    waiting: list[tuple[str, Any, int]] = [("", arguments, 0)]
    complete = True
    while waiting:
        if len(found) > MOST_ARGUMENTS:
            return found, False
        name, value, depth = waiting.pop()
        if isinstance(value, dict | list) and (depth > DEEPEST or len(value) > MOST_ARGUMENTS):
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
