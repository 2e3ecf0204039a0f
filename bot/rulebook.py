"""The rule book: what people said need not be asked again, told to every `claude` that it is for."""

import asyncio
import logging
import posixpath
import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Protocol
from urllib.parse import urlsplit

from bot.audit import Entry, Outcome
from bot.errors import ClaudeError
from bot.events import Assistant, Event, ToolResult, ToolUse, User
from bot.records import ConversationRecord
from bot.risk.shell import parse
from bot.rules import Kept, Offer, Rule, Scope
from bot.tickets import Ticket

CHANGES = frozenset({"Edit", "MultiEdit", "NotebookEdit", "Write"})
"""The tools that a rule for Edit speaks of."""

REMEMBERED = 200
"""Tool uses whose outcome may still come."""

log = logging.getLogger(__name__)


class RuleStore(Protocol):
    def add_rule(self, kept: Kept) -> None: ...
    def rule(self, number: int) -> Kept | None: ...
    def rules(self, project: str) -> list[Kept]: ...
    def remove_rule(self, number: int) -> None: ...
    def record(self, entry: Entry) -> None: ...


@dataclass(frozen=True, slots=True)
class Rulebook:
    """Rules are kept here and nowhere else: a process is told the whole list, at its start and after each change."""

    store: RuleStore
    changed: Callable[[str], None]
    """Told the project whose rules are others now."""
    clock: Callable[[], float] = time.time

    def keep(self, offer: Offer, ticket: Ticket, by: int) -> None:
        """Keep what was chosen under Always…."""
        place = ticket.conversation if offer.scope is Scope.CONVERSATION else None
        self.store.add_rule(Kept(0, offer.rule, ticket.origin.project, place, by, self.clock()))
        self._note(ticket.origin.project, ticket.conversation, offer.rule, by, made=True)

    def remove(self, kept: Kept, by: int) -> None:
        """Take a rule back: what it let pass is asked again, in the processes that run as well."""
        self.store.remove_rule(kept.id)
        self._note(kept.project, kept.conversation or 0, kept.rule, by, made=False)

    def _note(self, project: str, conversation: int, rule: Rule, by: int, *, made: bool) -> None:
        outcome: Outcome = "rule made" if made else "rule removed"
        self.store.record(Entry(self.clock(), project, conversation, rule.tool, outcome, "button", by, note=str(rule)))
        self.changed(project)


def in_force(rules: Iterable[Kept], conversation: int) -> list[Kept]:
    """Which of a project's rules count in a conversation."""
    return [kept for kept in rules if kept.conversation in (None, conversation)]


class Listening(Protocol):
    """A process that can be told something."""

    async def control(self, subtype: str, **fields: Any) -> Mapping[str, Any]: ...


async def teach(run: Listening, wanted: Callable[[], list[Kept]], changed: asyncio.Event) -> None:
    """Keep a process in the know of its rules.

    `apply_flag_settings` replaces the list as a whole, at any moment, in the middle of an open request too (seen with
    2.1.197 and 2.1.326). A rule that went along with a decision, or stood in the arguments, could not be taken back.
    A process that does not know this asks for everything: nothing passes that should not.
    """
    known: list[str] = []
    while True:
        changed.clear()
        rules = list(dict.fromkeys(str(kept.rule) for kept in wanted()))
        if rules != known:
            known = rules
            try:
                await run.control("apply_flag_settings", settings={"permissions": {"allow": rules}})
            except ClaudeError as error:
                log.warning("A rule could not be told to Claude; it asks instead: %s", error)
        await changed.wait()


class PassStore(RuleStore, Protocol):
    def conversation(self, conversation: int) -> ConversationRecord | None: ...
    def ticket_for(self, run: str, tool_use_id: str) -> Ticket | None: ...
    def passed(self, run: str, tool_use_id: str) -> Entry | None: ...


@dataclass(slots=True)
class Passing:
    """Notices what a rule let pass: the CLI asks nobody then, and does not tell which rule it was."""

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
        if record is None or result.decision == "reject" or result.unrun or self.store.ticket_for(run, use.id):
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
