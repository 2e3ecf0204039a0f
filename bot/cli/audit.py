"""`claude-discord audit`: who asked for what and who decided, with or without a running bot."""

import argparse
import json
from datetime import datetime

from bot.audit_log import Entry, Verdict
from bot.cli.output import json_of, line, note
from bot.cli.running_bot import state_folder
from bot.store import FILE_NAME, audit_log

LONGEST = 100


def go(arguments: argparse.Namespace) -> int:
    file = state_folder(arguments) / FILE_NAME
    if arguments.verify:
        return _verified(audit_log.verify(file), as_json=arguments.json)
    for sealed in audit_log.entries(file):
        if arguments.json:
            json_of({"number": sealed.number, **json.loads(sealed.content), "seal": sealed.seal})
        else:
            print(told(sealed.entry))
    return 0


def told(entry: Entry) -> str:
    """Write an entry on one line."""
    when = datetime.fromtimestamp(entry.at).astimezone().isoformat(sep=" ", timespec="seconds")
    who = f"by {entry.by}" if entry.by is not None else f"by nobody ({entry.source})"
    what = line(json.dumps(entry.asked, ensure_ascii=False)) if entry.asked else line(entry.note)
    return f"{when}  {entry.project}  {entry.outcome} {who}  {line(entry.tool)} {_short(what)}".rstrip()


def _short(text: str) -> str:
    return text if len(text) <= LONGEST else text[: LONGEST - 1] + "…"


def _verified(verdict: Verdict, *, as_json: bool) -> int:
    fault = verdict.fault
    if as_json:
        where = {"number": fault.number, "sentence": fault.sentence} if fault else None
        json_of({"ok": fault is None, "entries": verdict.entries, "last": verdict.last, "fault": where})
    elif fault is None:
        entries = "entry" if verdict.entries == 1 else "entries"
        print(f"{verdict.entries} {entries}, none changed and none missing. The last seal is {verdict.last}.")
    else:
        note(f"Entry {fault.number}: {fault.sentence}")
    return 0 if fault is None else 1
