"""What a rule let pass: the CLI asks nobody then, and does not tell which rule it was."""

import posixpath
import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Protocol
from urllib.parse import urlsplit

from bot.decisions.audit import Entry
from bot.decisions.rulebook import RuleStore, in_force
from bot.events import Assistant, Event, ToolResult, ToolUse, User
from bot.records import ConversationRecord
from bot.requests.rules import Rule
from bot.requests.tickets import Ticket
from bot.risk.shell import parse

CHANGES = frozenset({"Edit", "MultiEdit", "NotebookEdit", "Write"})
"""The tools that a rule for Edit speaks of."""
REFUSALS = ("Permission to use", "Claude requested permissions")
REMEMBERED = 200
"""Tool uses whose outcome may still come."""


class PassStore(RuleStore, Protocol):
    def conversation(self, conversation: int) -> ConversationRecord | None: ...
    def ticket_for(self, run: str, tool_use_id: str) -> Ticket | None: ...
    def passed(self, run: str, tool_use_id: str) -> Entry | None: ...


@dataclass(slots=True)
class Passing:
    """Notices what ran without a ticket though it is no reading: a rule speaks of it, and it goes on record."""

    conversation: int
    store: PassStore
    clock: Callable[[], float] = time.time
    _uses: dict[str, ToolUse] = field(default_factory=dict)

    def hear(self, run: str, event: Event) -> Iterator[tuple[str, str]]:
        """Take in an event of a run; gives each tool use that has run by a rule, with the rule."""
        match event:
            case Assistant(blocks=blocks):
                self._uses |= {block.id: block for block in blocks if isinstance(block, ToolUse)}
                while len(self._uses) > REMEMBERED:
                    del self._uses[next(iter(self._uses))]
            case User(results=results, at=at):
                for result in results:
                    use = self._uses.pop(result.tool_use_id, None)
                    if use is not None and (rule := self._passed(run, use, result, at or self.clock())):
                        yield use.id, rule

    def _passed(self, run: str, use: ToolUse, result: ToolResult, at: float) -> str:
        if known := self.store.passed(run, use.id):  # the journal is read again after a restart
            return known.note
        record = self.store.conversation(self.conversation)
        if record is None or _was_refused(result) or self.store.ticket_for(run, use.id):
            return ""
        rules = in_force(self.store.rules(record.project), self.conversation)
        older = (kept for kept in rules if kept.made_at <= at)
        kept = next((kept for kept in older if speaks_of(kept.rule, use.name, use.input)), None)
        if kept is None:
            return ""
        entry = Entry(at, record.project, self.conversation, use.name, "allowed", "rule", kept.made_by)
        note, asked = str(kept.rule), dict(use.input)
        self.store.record(replace(entry, asked=asked, ran=asked, note=note, run=run, tool_use_id=use.id))
        return note


def _was_refused(result: ToolResult) -> bool:
    """Whether it never ran; older CLIs say so only to Claude."""
    return result.decision == "reject" or bool(result.unrun) or (result.is_error and result.text.startswith(REFUSALS))


def speaks_of(rule: Rule, tool: str, arguments: Mapping[str, Any]) -> bool:
    """Whether a rule is about this use of a tool. For the note below it only: what may pass, the CLI decides."""
    match rule.tool:
        case "Bash":
            command = arguments.get("command")
            return tool == "Bash" and isinstance(command, str) and _is_command(rule.content, command)
        case "Edit":
            path = arguments.get("file_path") or arguments.get("notebook_path")
            return tool in CHANGES and isinstance(path, str) and _is_path(rule.content, posixpath.normpath(path))
        case "WebFetch":
            url = arguments.get("url")
            return tool == "WebFetch" and isinstance(url, str) and _is_host(rule.content, url)
        case name:
            return tool == name


def _is_command(content: str, command: str) -> bool:
    prefix = content.removesuffix(":*")
    parts = [command, *(" ".join(call.texts) for call in parse(command).calls)]
    if prefix == content:
        return content in parts
    return any(part == prefix or part.startswith(f"{prefix} ") for part in parts)


def _is_path(content: str, path: str) -> bool:
    pattern = content.removeprefix("/")
    folder = pattern.removesuffix("/**")
    return path == pattern or (folder != pattern and path.startswith(f"{folder}/"))


def _is_host(content: str, url: str) -> bool:
    try:
        return urlsplit(url).hostname == content.removeprefix("domain:")
    except ValueError:
        return False
