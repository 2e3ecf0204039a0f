"""Session files on disk, which `--resume` reads."""

import json
import os
import re
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Literal


class SessionError(Exception):
    """A session can't be opened; the message is the real CLI's."""


class UnknownSessionError(SessionError):
    """There is no such session; the real CLI also writes a `result` for this error."""

    def __init__(self, session_id: str) -> None:
        super().__init__(f"No conversation found with session ID: {session_id}")
        self.session_id = session_id


@dataclass(frozen=True, slots=True)
class SessionFile:
    id: str
    path: Path

    def prompts(self) -> tuple[str, ...]:
        """Return the prompts so far, oldest first."""
        if not self.path.exists():
            return ()
        lines = [json.loads(line) for line in self.path.read_text(encoding="utf-8").splitlines()]
        return tuple(line["message"]["content"] for line in lines if line["type"] == "user")

    def add(self, role: Literal["user", "assistant"], text: str) -> None:
        """Append a message immediately, as the real CLI does, so that a killed process loses nothing."""
        content = text if role == "user" else [{"type": "text", "text": text}]
        entry = {
            "type": role,
            "message": {"role": role, "content": content},
            "sessionId": self.id,
            "timestamp": datetime.now(UTC).isoformat(),
        }
        self.path.parent.mkdir(parents=True, exist_ok=True)
        with self.path.open("a", encoding="utf-8") as file:
            file.write(json.dumps(entry) + "\n")


def folder(cwd: Path) -> Path:
    """Return the folder of a project's sessions, the same as the real CLI's."""
    base = os.environ.get("CLAUDE_CONFIG_DIR") or Path.home() / ".claude"
    return Path(base) / "projects" / re.sub(r"[^A-Za-z0-9]", "-", str(cwd))


def begin(session_id: str, cwd: Path) -> SessionFile:
    session = SessionFile(session_id, folder(cwd) / f"{session_id}.jsonl")
    if session.path.exists():
        raise SessionError(f"Error: Session ID {session_id} is already in use.")
    return session


def resume(session_id: str, cwd: Path) -> SessionFile:
    session = SessionFile(session_id, folder(cwd) / f"{session_id}.jsonl")
    if not session.path.exists():
        raise UnknownSessionError(session_id)
    return session
