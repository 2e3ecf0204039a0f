"""The audit log: who decided each request and changed each setting, each entry sealed with the one before it."""

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
"""The last three are for settings and projects."""
Source = Literal["button", "text", "time-out", "withdrawn", "rule", "command"]

START = "0" * 64
"""The seal before the first entry."""
LONGEST = 20_000  # characters of one text that are kept; a Write contains the whole file
MOST_FIELDS = 200


@dataclass(frozen=True, slots=True)
class Entry:
    """One decision or change."""

    at: float
    project: str
    conversation: int
    tool: str
    """The tool or the setting; `project` for a whole project."""
    outcome: Outcome
    source: Source
    by: int | None = None
    """The Discord user; None if no person decided."""
    prompted_by: int | None = None
    after: float | None = None
    """Seconds from the request to the decision."""
    asked: Mapping[str, Any] | None = None
    """The tool input that Claude asked for."""
    ran: Mapping[str, Any] | None = None
    """The tool input that was allowed; None if the tool did not run."""
    note: str = ""
    """The message to Claude, the reason of a withdrawal, the rule, or the new value of a setting."""
    ticket: str = ""
    run: str = ""
    tool_use_id: str = ""


@dataclass(frozen=True, slots=True)
class Sealed:
    """An entry as it is stored."""

    number: int
    content: str
    """The entry as JSON; the seal is over exactly these characters."""
    seal: str

    @property
    def entry(self) -> Entry:
        return Entry(**json.loads(self.content))


@dataclass(frozen=True, slots=True)
class Fault:
    """The first place where the audit log was changed after it was written."""

    number: int
    sentence: str


@dataclass(frozen=True, slots=True)
class Verdict:
    """The result of checking the whole audit log."""

    entries: int
    last: str
    """The last seal. Anyone who noted it earlier can check that no entry up to it was changed or removed."""
    fault: Fault | None = None


def entry_of(ticket: Ticket) -> Entry:
    """Return the entry of a ticket that was decided or withdrawn."""
    state = ticket.state
    assert isinstance(state, Decided | Withdrawn)  # noqa: S101 - an open ticket has no entry
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


def to_json(entry: Entry) -> str:
    """Return an entry as the JSON that is sealed; a very long text or list is shortened and gets its hash."""
    fields = {field.name: _shortened(getattr(entry, field.name)) for field in dataclasses.fields(entry)}
    return json.dumps(fields, ensure_ascii=True, sort_keys=True, separators=(",", ":"))


def is_of(entry: Entry, request: PermissionRequest) -> bool:
    """Check whether an entry is about exactly this request."""
    return entry.tool == request.tool_name and entry.asked == _shortened(request.input)


def seal(number: int, before: str, content: str) -> str:
    """Return the seal of an entry: a hash of its number, its content and the seal before it."""
    return hashlib.sha256(f"{number}\n{before}\n{content}".encode()).hexdigest()


def check(record: Iterable[Sealed], highest: int) -> Verdict:
    """Check that no entry was changed or removed; `highest` is the last number ever given to one."""
    count, before = 0, START
    for kept in record:
        count += 1
        if kept.number != count:
            return Verdict(count - 1, before, Fault(count, f"Entry {count} is missing."))
        if kept.seal != seal(kept.number, before, kept.content):
            return Verdict(count - 1, before, Fault(count, f"Entry {count} was changed after it was written."))
        before = kept.seal
    if count < highest:
        return Verdict(count, before, Fault(count + 1, f"The entries after {count} are missing: there were {highest}."))
    return Verdict(count, before)


def _shortened(value: Any) -> Any:
    """Shorten long texts and lists in an input."""
    match value:
        case str() if len(value) > LONGEST:
            return _shortened_text(value)
        case Mapping() if len(value) <= MOST_FIELDS:
            return {
                key: _shortened(one) if isinstance(one, str) else _shortened_json(one) for key, one in value.items()
            }
    return _shortened_json(value)


def _shortened_json(value: Any) -> Any:
    if not isinstance(value, Mapping | list | tuple):
        return value
    text = json.dumps(value, default=repr)
    return _shortened_text(text) if len(text) > LONGEST else value


def _shortened_text(text: str) -> str:
    digest = hashlib.sha256(text.encode(errors="surrogatepass")).hexdigest()
    return f"{text[:LONGEST]}… ({len(text)} characters in all, SHA-256 {digest})"
