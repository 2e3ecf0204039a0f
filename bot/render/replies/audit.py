"""The reply to `/audit`."""

from collections.abc import Iterable

from bot.audit_log import Entry, Outcome, Sealed, Verdict
from bot.messages import Message
from bot.render.replies.reply_lines import fit_lines, subject
from bot.text.count import count
from bot.text.duration import duration
from bot.text.escape import escape_line

NO_ENTRIES = "Nothing has been decided here yet."
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


def audit_reply(entries: Iterable[Sealed], verdict: Verdict) -> Message:
    """List the latest decisions, newest first, and say whether the audit log is intact."""
    if verdict.fault is None and not verdict.entries:
        return Message("record", NO_ENTRIES)
    if verdict.fault is None:
        whole = f"-# 🔒 {count(verdict.entries, 'entry', 'entries')}, intact; last seal `{verdict.last[:16]}`"
    else:
        whole = f"⚠️ **The audit log has been changed.** {verdict.fault.sentence}"
    lines = [_line(one.number, one.entry) for one in entries]
    return Message("record", fit_lines([whole, *(lines or [NO_ENTRIES])]))


def _line(number: int, entry: Entry) -> str:
    who = f" by <@{entry.by}>" if entry.by is not None else ""
    after = f" after {duration(entry.after)}" if entry.after is not None else ""
    given = entry.ran if entry.ran is not None else entry.asked
    changed = entry.ran is not None and entry.asked is not None and entry.ran != entry.asked
    edited = "(edited)" if changed and entry.tool != "AskUserQuestion" else ""  # an answer is added to the question
    what = " ".join(filter(None, (escape_line(entry.tool, 40), subject(given or {}), edited)))
    note = f" · {escape_line(entry.note, 80)}" if entry.note else ""
    source = f", {entry.source}" if entry.source != entry.outcome else ""
    how = f"{entry.outcome}{who}{source}{after}"
    return f"{_MARKS[entry.outcome]} `{number}` <t:{int(entry.at)}:f> {what}\n-# {how}{note}"
