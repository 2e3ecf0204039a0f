"""The record: each request and what became of it, each change of a setting, and by whom; sealed one to the next."""

import dataclasses
import hashlib
import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Literal

from bot.permission_requests.permission_request import PermissionRequest
from bot.permission_requests.ticket import Decided, Ticket, Withdrawn
from shared.protocol import Allow

Outcome = Literal["allowed", "denied", "withdrawn", "rule made", "rule removed", "changed", "added", "removed"]
"""The last three are a setting's, and a project's."""
Source = Literal["button", "text", "time-out", "withdrawn", "rule", "command"]

START = "0" * 64
"""The seal before the first entry."""
LONGEST = 20_000  # characters of one text that are kept as they are; a Write carries the whole file
MOST_FIELDS = 200


@dataclass(frozen=True, slots=True)
class Entry:
    """One thing that was settled."""

    at: float
    project: str
    conversation: int
    tool: str
    """Which tool, or which setting it was; `project` for a whole one."""
    outcome: Outcome
    source: Source
    by: int | None = None
    """The Discord user; None where no person decided."""
    prompted_by: int | None = None
    after: float | None = None
    """Seconds from the request to its end."""
    asked: Mapping[str, Any] | None = None
    """What Claude wanted to use the tool with."""
    ran: Mapping[str, Any] | None = None
    """What it was used with; None where it was not used."""
    note: str = ""
    """What Claude was told, why it was withdrawn, which rule it was, or what a setting is now."""
    ticket: str = ""
    run: str = ""
    tool_use_id: str = ""


@dataclass(frozen=True, slots=True)
class Sealed:
    """An entry as it is kept."""

    number: int
    content: str
    """The entry as JSON: it is these characters that are sealed."""
    seal: str

    @property
    def entry(self) -> Entry:
        return Entry(**json.loads(self.content))


@dataclass(frozen=True, slots=True)
class Fault:
    """Where the record is not what was written."""

    number: int
    sentence: str


@dataclass(frozen=True, slots=True)
class Verdict:
    """What came of checking the whole record."""

    entries: int
    last: str
    """The last seal: whoever noted it before can see that nothing before it was changed or taken out."""
    fault: Fault | None = None


def settled(ticket: Ticket) -> Entry:
    """Write down what became of a ticket."""
    state = ticket.state
    assert isinstance(state, Decided | Withdrawn)  # noqa: S101 - an open one is not settled
    outcome: Outcome = "withdrawn"
    source: Source = "withdrawn"
    by, ran = None, None
    if isinstance(state, Withdrawn):
        note = state.reason
    else:
        source, by = state.via, state.by
        decision = state.decision
        outcome = "allowed" if isinstance(decision, Allow) else "denied"
        ran = decision.updated_input if isinstance(decision, Allow) else None
        note = state.note if isinstance(decision, Allow) else decision.message
    return Entry(
        at=state.at,
        project=ticket.origin.project,
        conversation=ticket.conversation,
        tool=ticket.request.tool_name,
        outcome=outcome,
        source=source,
        by=by,
        prompted_by=ticket.origin.prompted_by,
        after=round(state.at - ticket.opened_at, 3),
        asked=ticket.request.input,
        ran=ran,
        note=note,
        ticket=ticket.id,
        tool_use_id=ticket.request.tool_use_id,
    )


def written(entry: Entry) -> str:
    """Write an entry as the JSON that is sealed; a very long text, or list, is named by its hash."""
    fields = {field.name: _shortened(getattr(entry, field.name)) for field in dataclasses.fields(entry)}
    return json.dumps(fields, ensure_ascii=True, sort_keys=True, separators=(",", ":"))


def is_of(entry: Entry, request: PermissionRequest) -> bool:
    """Whether an entry is about this very request."""
    return entry.tool == request.tool_name and entry.asked == _shortened(request.input)


def seal(number: int, before: str, content: str) -> str:
    """Seal an entry together with its place and the seal before it."""
    return hashlib.sha256(f"{number}\n{before}\n{content}".encode()).hexdigest()


def check(record: Iterable[Sealed], highest: int) -> Verdict:
    """Say whether every entry is as it was written and none is missing; `highest` is the last number ever given."""
    count, before = 0, START
    for kept in record:
        count += 1
        if kept.number != count:
            return Verdict(count - 1, before, Fault(count, f"Entry {count} is missing."))
        if kept.seal != seal(kept.number, before, kept.content):
            return Verdict(count - 1, before, Fault(count, f"Entry {count} is not what was written."))
        before = kept.seal
    if count < highest:
        return Verdict(count, before, Fault(count + 1, f"The entries after {count} are missing: there were {highest}."))
    return Verdict(count, before)


def _shortened(value: Any) -> Any:
    """Shorten what is long in an input, or in one of its fields."""
    match value:
        case str() if len(value) > LONGEST:
            return _named(value)
        case Mapping() if len(value) <= MOST_FIELDS:
            return {key: _shortened(one) if isinstance(one, str) else _brief(one) for key, one in value.items()}
    return _brief(value)


def _brief(value: Any) -> Any:
    if not isinstance(value, Mapping | list | tuple):
        return value
    text = json.dumps(value, default=repr)
    return _named(text) if len(text) > LONGEST else value


def _named(text: str) -> str:
    name = hashlib.sha256(text.encode(errors="surrogatepass")).hexdigest()
    return f"{text[:LONGEST]}… ({len(text)} characters in all, SHA-256 {name})"
