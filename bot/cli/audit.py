"""`claude-discord audit`: show who asked for what and who decided, with or without a running bot."""

import argparse
import json
from datetime import datetime

from bot.audit_log import Entry, Verdict
from bot.cli.output import one_line, print_json, print_note
from bot.cli.running_bot import state_folder
from bot.store import FILE_NAME, audit_log

LONGEST = 100


def execute(arguments: argparse.Namespace) -> int:
    file = state_folder(arguments) / FILE_NAME
    if arguments.verify:
        return _report_verdict(audit_log.verify(file), as_json=arguments.json)
    empty = True
    for sealed in audit_log.entries(file):
        empty = False
        if arguments.json:
            print_json({"number": sealed.number, **json.loads(sealed.content), "seal": sealed.seal})
        else:
            print(format_entry(sealed.entry))
    if empty:
        print_note("Nothing has been decided yet.")
    return 0


def format_entry(entry: Entry) -> str:
    """Format an entry as one line."""
    when = datetime.fromtimestamp(entry.at).astimezone().isoformat(sep=" ", timespec="seconds")
    who = f"by {entry.by}" if entry.by is not None else f"by nobody ({entry.source})"
    what = one_line(json.dumps(entry.asked, ensure_ascii=False)) if entry.asked else one_line(entry.note)
    return f"{when}  {entry.project}  {entry.outcome} {who}  {one_line(entry.tool)} {_shorten(what)}".rstrip()


def _shorten(text: str) -> str:
    return text if len(text) <= LONGEST else text[: LONGEST - 1] + "…"


def _report_verdict(verdict: Verdict, *, as_json: bool) -> int:
    fault = verdict.fault
    if as_json:
        where = {"number": fault.number, "sentence": fault.sentence} if fault else None
        print_json({"ok": fault is None, "entries": verdict.entries, "last": verdict.last, "fault": where})
    elif fault is None:
        entries = "entry" if verdict.entries == 1 else "entries"
        print(f"{verdict.entries} {entries}, none changed and none missing. The last seal is {verdict.last}.")
    else:
        print_note(f"Entry {fault.number}: {fault.sentence}")
    return 0 if fault is None else 1
