"""Decides which tool uses need permission, as the CLI does."""

import re
import shlex
from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import Enum
from pathlib import Path
from typing import Any

MODES = ("acceptEdits", "auto", "bypassPermissions", "default", "dontAsk", "plan")
ALWAYS_ASK = frozenset({"AskUserQuestion", "ExitPlanMode"})
NEVER_ASK = frozenset({"Agent", "Task", "TodoWrite"})
EDITS = frozenset({"Edit", "Write"})
FILE_COMMANDS = frozenset({"cp", "mkdir", "mv", "rm", "rmdir", "sed", "touch"})
READ_ONLY = frozenset({"cat", "date", "echo", "head", "ls", "pwd", "seq", "sleep", "tail", "true", "wc", "whoami"})
SHELL = re.compile(r"[;&|<>$`\n(){}*?~]")


class PolicyVerdict(Enum):
    ALLOW = "allow"
    ASK = "ask"
    REFUSE = "refuse"


@dataclass
class PermissionPolicy:
    """The permission mode, and the rules that were added in this session."""

    mode: str
    cwd: Path
    rules: list[tuple[str, str | None]] = field(default_factory=list)
    """Tool name, and the command or `prefix:*` that is allowed; None allows the whole tool."""
    flags: list[tuple[str, str | None]] = field(default_factory=list)
    """The same, for rules set by `apply_flag_settings`."""

    def check(self, tool: str, input_: Mapping[str, Any]) -> PolicyVerdict:
        """Decide whether a tool use is allowed, needs a permission request, or is refused."""
        if tool in ALWAYS_ASK:
            return PolicyVerdict.ASK
        if tool in NEVER_ASK or self.mode == "bypassPermissions" or self._only_reads(tool, input_):
            return PolicyVerdict.ALLOW
        if any(_matches(rule, tool, input_) for rule in (*self.rules, *self.flags)):
            return PolicyVerdict.ALLOW
        if self.mode == "acceptEdits" and self._accepts(tool, input_):
            return PolicyVerdict.ALLOW
        return PolicyVerdict.REFUSE if self.mode == "dontAsk" else PolicyVerdict.ASK

    def is_inside(self, path: str) -> bool:
        """Check whether a path is inside the project."""
        return (self.cwd / path).resolve().is_relative_to(self.cwd.resolve())

    def apply_updates(self, updates: list[dict[str, Any]]) -> str | None:
        """Apply `updatedPermissions`; return the new mode if there is one."""
        changed = None
        for update in updates:
            match update:
                case {"type": "addRules", "behavior": "allow", "rules": [*rules]}:
                    self.rules += [(rule["toolName"], rule.get("ruleContent")) for rule in rules]
                case {"type": "setMode", "mode": str(mode)}:
                    self.mode = changed = mode
                case _:
                    pass
        return changed

    def set_flags(self, rules: list[str]) -> None:
        """Replace the flag rules with these, such as `Bash(npm test:*)`."""
        named = [rule.partition("(") for rule in rules]
        self.flags = [(tool, content.removesuffix(")") if paren else None) for tool, paren, content in named]

    def _accepts(self, tool: str, input_: Mapping[str, Any]) -> bool:
        """Check whether `acceptEdits` allows this: in the CLI it allows more than edits."""
        if tool in EDITS:
            return self.is_inside(input_.get("file_path", ""))
        words = _words(input_.get("command", "")) if tool == "Bash" else []
        return bool(words) and words[0] in FILE_COMMANDS and all(map(self.is_inside, words[1:]))

    def _only_reads(self, tool: str, input_: Mapping[str, Any]) -> bool:
        if tool == "Read":
            return self.is_inside(input_.get("file_path", ""))
        return tool == "Bash" and _is_read_only(input_.get("command", ""))


def _is_read_only(command: str) -> bool:
    words = _words(command)
    return bool(words) and words[0] in READ_ONLY


def _words(command: str) -> list[str]:
    """Split a plain command into words; a command with shell syntax has none."""
    try:
        return [] if SHELL.search(command) else shlex.split(command)
    except ValueError:
        return []


def _matches(rule: tuple[str, str | None], tool: str, input_: Mapping[str, Any]) -> bool:
    name, content = rule
    if name != tool:
        return False
    if content is None:
        return True
    command = input_.get("command", input_.get("file_path", ""))
    if content.endswith(":*"):
        prefix = content.removesuffix(":*")
        # A compound command does more than its prefix shows.
        return (command == prefix or command.startswith(f"{prefix} ")) and not SHELL.search(command)
    return bool(command == content)
