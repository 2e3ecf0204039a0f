"""Reads the files of earlier sessions, which were started by the bot or in a terminal."""

import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Any, Literal, Protocol

_NOT_WRITTEN_BY_A_PERSON = ("<", "[Request interrupted", "Caveat:", "This session is being continued")
"""Beginnings of texts that are recorded like prompts but were not written by a person."""


@dataclass(frozen=True, slots=True)
class EarlierSession:
    """A session that can be resumed."""

    session: str
    at: float
    """When it was last used."""
    words: str
    """The beginning of its first prompt."""


@dataclass(frozen=True, slots=True)
class SessionMessage:
    """A message in a session."""

    who: Literal["person", "claude"]
    text: str
    at: float | None = None


@dataclass(frozen=True, slots=True)
class SessionToolUse:
    """A tool that Claude used."""

    tool: str
    input: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class SessionCompaction:
    """The point where the conversation was compacted."""


Passage = SessionMessage | SessionToolUse | SessionCompaction


class SessionHistory(Protocol):
    """Access to earlier sessions."""

    def of(self, folder: Path) -> list[EarlierSession]:
        """Return the non-empty sessions of a folder, newest first."""

    def read(self, folder: Path, session: str) -> list[Passage]:
        """Return the content of a session; empty if its file is gone."""


def passages(lines: Iterable[str]) -> Iterator[Passage]:
    """Yield the passages in the lines of a session file; skip unknown lines."""
    for line in lines:
        try:
            entry = json.loads(line)
        except ValueError:
            continue
        if isinstance(entry, dict):
            yield from _passages(entry)


def first_words(lines: Iterable[str]) -> str:
    """Return the first prompt in these lines of a session file; empty if there is none."""
    return next((p.text for p in passages(lines) if isinstance(p, SessionMessage) and p.who == "person"), "")


def _passages(entry: Mapping[str, Any]) -> Iterator[Passage]:
    if entry.get("isSidechain") or entry.get("isMeta") or entry.get("isCompactSummary"):
        return
    match entry:
        case {"type": "user", "message": {"content": content}}:
            text = "\n".join(_texts(content)).strip()
            if text and not text.startswith(_NOT_WRITTEN_BY_A_PERSON):
                yield SessionMessage("person", text, _time(entry))
        case {"type": "assistant", "message": {"content": list(blocks)}}:
            for block in blocks:
                match block:
                    case {"type": "text", "text": str(text)} if text.strip():
                        yield SessionMessage("claude", text.strip(), _time(entry))
                    case {"type": "tool_use", "name": str(name), "input": dict(values)}:
                        yield SessionToolUse(name, values)
        case {"type": "system", "subtype": "compact_boundary"}:
            yield SessionCompaction()


def _texts(content: object) -> Iterator[str]:
    if isinstance(content, str):
        yield content
    elif isinstance(content, list):
        for block in content:
            match block:
                case {"type": "text", "text": str(text)} if not text.startswith("<system-reminder>"):
                    yield text


def _time(entry: Mapping[str, Any]) -> float | None:
    try:
        return datetime.fromisoformat(str(entry.get("timestamp"))).timestamp()
    except ValueError:
        return None
