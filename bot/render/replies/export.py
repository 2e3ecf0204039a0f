"""Exports a conversation as a Markdown file."""

from collections.abc import Iterable
from datetime import UTC, datetime

from bot.text.escape import one_line
from bot.text.truncate import truncate
from bot.transcript.session_history import Passage, SessionCompaction, SessionMessage, SessionToolUse

_NAMES = {"person": "You", "claude": "Claude"}
_SUBJECT_KEYS = ("command", "file_path", "notebook_path", "path", "pattern", "url", "query", "description", "prompt")
"""Keys that best describe a tool call, in order of preference; the first one present is shown."""


def export(title: str, passages: Iterable[Passage]) -> str:
    """Return all messages as Markdown, with the tools that Claude used in between."""
    out = [f"# {one_line(title)}"]
    speaker = ""
    for passage in passages:
        match passage:
            case SessionMessage(who, text, at):
                if who != speaker or who == "person":
                    out.append(f"## {_NAMES[who]}{_when(at)}")
                speaker = who
                out.append(text)
            case SessionToolUse(tool, values):
                about = next((str(values[key]) for key in _SUBJECT_KEYS if values.get(key)), "")
                line = f"- *{tool}*" + (f" `{truncate(one_line(about).replace('`', chr(39)), 200)}`" if about else "")
                if out[-1].startswith("- *"):
                    out[-1] += f"\n{line}"
                else:
                    out.append(line)
            case SessionCompaction():
                out.append(
                    "---\n*The conversation was compacted here: Claude remembers a summary of everything above.*"
                )
    return "\n\n".join(out) + "\n"


def _when(at: float | None) -> str:
    return f" · {datetime.fromtimestamp(at, UTC):%Y-%m-%d %H:%M} UTC" if at else ""
