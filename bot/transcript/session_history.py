"""Earlier sessions: what their files say, whether they were begun here or in a terminal."""

import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Any, Literal, Protocol

_NOT_SAID = ("<", "[Request interrupted", "Caveat:", "This session is being continued")
"""How texts begin that stand where a prompt stands, but were said by nobody."""


@dataclass(frozen=True, slots=True)
class EarlierSession:
    """A session that can be resumed."""

    session: str
    at: float
    """When something last happened in it."""
    words: str
    """What it began with."""


@dataclass(frozen=True, slots=True)
class SessionMessage:
    """Something that was said in a session."""

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
    """What came before was summed up: the conversation was compacted."""


Passage = SessionMessage | SessionToolUse | SessionCompaction


class SessionHistory(Protocol):
    """Where earlier sessions are found."""

    def of(self, folder: Path) -> list[EarlierSession]:
        """Give the folder's sessions in which something was said, newest first."""

    def read(self, folder: Path, session: str) -> list[Passage]:
        """Give what was said in a session; nothing where its file is gone."""


def passages(lines: Iterable[str]) -> Iterator[Passage]:
    """Read a session's file; what is not understood is passed over."""
    for line in lines:
        try:
            entry = json.loads(line)
        except ValueError:
            continue
        if isinstance(entry, dict):
            yield from _passages(entry)


def first_words(lines: Iterable[str]) -> str:
    """Give what a session began with; empty if nothing was said in what is there to read."""
    return next((p.text for p in passages(lines) if isinstance(p, SessionMessage) and p.who == "person"), "")


def _passages(entry: Mapping[str, Any]) -> Iterator[Passage]:
    if entry.get("isSidechain") or entry.get("isMeta") or entry.get("isCompactSummary"):
        return
    match entry:
        case {"type": "user", "message": {"content": content}}:
            text = "\n".join(_texts(content)).strip()
            if text and not text.startswith(_NOT_SAID):
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
