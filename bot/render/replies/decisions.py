"""The replies to `/pending`, `/rules` and `/audit`."""

from collections.abc import Iterable, Sequence

from bot.audit_log import Entry, Outcome, Sealed, Verdict
from bot.masking import mask
from bot.messages import MESSAGE_LIMIT, OPTION_LIMIT, Message, Option, Select
from bot.permission_requests.rules import SavedRule
from bot.permission_requests.ticket import Ticket
from bot.text.code_block import inline_code
from bot.text.escape import escape_line, one_line
from bot.text.truncate import truncate, utf16_length

REMOVE = "rule:remove"
"""The custom_id of the menu that removes a rule."""
NOTHING_WAITS = "Nothing is waiting for an answer."
NO_RULES = "No rules yet: Claude asks every time. Press *Always…* on a card to make one."
NO_ENTRIES = "Nothing has been decided here yet."
_MOST_OPTIONS = 25
_ROOM = MESSAGE_LIMIT - 100
_MARKS: dict[Outcome, str] = {
    "allowed": "✅",
    "denied": "⛔",
    "withdrawn": "↩️",
    "rule made": "📌",
    "rule removed": "🧹",
    "changed": "⚙️",
    "added": "📁",
    "removed": "🗑️",
}
_SUBJECTS = ("command", "file_path", "notebook_path", "url", "plan")


def pending(waiting: Sequence[tuple[Ticket, int]], guild: int) -> Message:
    """List the open requests with links to their cards; message 0 means that the card is not in Discord yet."""
    lines = []
    for ticket, message in waiting:
        link = f"https://discord.com/channels/{guild}/{ticket.conversation}" + (f"/{message}" if message else "")
        what = f"{escape_line(ticket.request.tool_name, 40)} {_subject(ticket.request.input)}".strip()
        lines.append(f"- <t:{int(ticket.opened_at)}:R> **{escape_line(ticket.origin.project, 40)}**: {what} {link}")
    return Message(
        "pending", _fitting([f"**{_many(len(lines), 'open request')}**", *lines]) if lines else NOTHING_WAITS
    )


def rules(kept: Sequence[SavedRule], conversation: int, *, may_remove: bool, configured: Sequence[str] = ()) -> Message:
    """List the rules that apply here, who made them and when, and a menu to remove one."""
    here = [one for one in kept if one.conversation in (None, conversation)]
    elsewhere = len(kept) - len(here)
    lines = [f"- {inline_code(mask(str(one.rule)), 120)} {_scope(one)} · {_origin(one)}" for one in here]
    lines += [f"- {inline_code(mask(rule), 120)} in the configuration" for rule in configured]
    if elsewhere:
        lines.append(f"-# {_many(elsewhere, 'more rule')} in other conversations of the project")
    chosen = [one for one in here if one.made_by is not None]
    options = tuple(
        Option(str(one.id), truncate(one_line(str(one.rule)), OPTION_LIMIT), _scope(one))
        for one in chosen[:_MOST_OPTIONS]
    )
    menu = (Select(REMOVE, options, "Remove a rule (Claude will ask again)…"),) if options and may_remove else ()
    heading = ["**Claude doesn't ask about these:**"] if here or configured else [NO_RULES]
    return Message("rules", _fitting([*heading, *lines]), menu)


def record(entries: Iterable[Sealed], verdict: Verdict) -> Message:
    """List the last decisions, newest first, and say whether the audit log is intact."""
    if verdict.fault is None:
        whole = f"-# 🔒 {_many(verdict.entries, 'entry', 'entries')}, unbroken; the last seal is `{verdict.last[:16]}`"
    else:
        whole = f"⚠️ **The record was changed.** {verdict.fault.sentence}"
    lines = [_line(one.number, one.entry) for one in entries]
    return Message("record", _fitting([whole, *(lines or [NO_ENTRIES])]))


def _line(number: int, entry: Entry) -> str:
    who = f" by <@{entry.by}>" if entry.by is not None else ""
    after = f" after {_duration(entry.after)}" if entry.after is not None else ""
    given = entry.ran if entry.ran is not None else entry.asked
    edited = " (edited)" if entry.ran is not None and entry.asked is not None and entry.ran != entry.asked else ""
    what = f"{escape_line(entry.tool, 40)} {_subject(given or {})}{edited}".strip()
    note = f" · {escape_line(entry.note, 80)}" if entry.note else ""
    how = f"{entry.outcome}{who}, {entry.source}{after}"
    return f"{_MARKS[entry.outcome]} `{number}` <t:{int(entry.at)}:f> {what}\n-# {how}{note}"


def _subject(given: object) -> str:
    if isinstance(given, dict):
        text = next((given[key] for key in _SUBJECTS if isinstance(given.get(key), str)), None)
        return inline_code(mask(text), 70) if text else ""
    return ""


def _scope(kept: SavedRule) -> str:
    return "in this project" if kept.conversation is None else "in this conversation"


def _origin(kept: SavedRule) -> str:
    if kept.made_by is None:
        return "while the mode is `acceptEdits`"
    return f"by <@{kept.made_by}> <t:{int(kept.made_at)}:R>"


def _many(count: int, one: str, several: str = "") -> str:
    return f"{count} {one if count == 1 else several or one + 's'}"


def _duration(seconds: float) -> str:
    if seconds < 60:
        return f"{seconds:.0f} s"
    return f"{seconds / 60:.0f} min" if seconds < 7200 else f"{seconds / 3600:.0f} h"


def _fitting(lines: Sequence[str]) -> str:
    """Join as many lines as fit in a message, and say how many are left out."""
    taken: list[str] = []
    room = _ROOM
    for number, text in enumerate(lines):
        room -= utf16_length(text) + 1
        if room < 0:
            return "\n".join([*taken, f"-# … and {len(lines) - number} more"])
        taken.append(text)
    return "\n".join(taken)
