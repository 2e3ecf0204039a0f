"""Finds and reads the CLI's session files of a folder."""

import os
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from bot.transcript.session_history import EarlierSession, Passage, first_words, passages

HEAD = 256 * 1024
"""Bytes to search for the first prompt; hooks and pictures may come before it."""
MAX_SESSIONS = 100
_SESSION = re.compile(r"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}")


@dataclass(frozen=True, slots=True)
class Sessions:
    """The sessions of each folder; their first words are cached."""

    environment: Mapping[str, str]
    """Claude's environment, which says where its files are."""
    _words: dict[tuple[Path, int], str] = field(default_factory=dict)

    def of(self, folder: Path) -> list[EarlierSession]:
        """Return the sessions of a folder that have a prompt, newest first."""
        found: list[tuple[float, int, Path]] = []
        for path in self._folder(folder).glob("*.jsonl"):
            if _SESSION.fullmatch(path.stem):
                status = path.stat()
                found.append((status.st_mtime, status.st_ino, path))
        newest = sorted(found, reverse=True)[:MAX_SESSIONS]
        earlier = [EarlierSession(path.stem, at, self._first_words(path, inode)) for at, inode, path in newest]
        return [each for each in earlier if each.words]

    def read(self, folder: Path, session: str) -> list[Passage]:
        """Return the messages of a session; empty if its file no longer exists."""
        path = self._folder(folder) / f"{session}.jsonl"
        return list(passages(_lines(path))) if _SESSION.fullmatch(session) and path.is_file() else []

    def _folder(self, folder: Path) -> Path:
        home = self.environment.get("CLAUDE_CONFIG_DIR")
        base = Path(home) if home else Path(self.environment.get("HOME") or Path.home()) / ".claude"
        return base / "projects" / re.sub(r"[^A-Za-z0-9]", "-", str(folder))

    def _first_words(self, path: Path, inode: int) -> str:
        known = self._words.get((path, inode))
        if known:
            return known
        with path.open("rb") as file:
            head = file.read(HEAD).decode("utf-8", "replace")
        words = first_words(head.splitlines())
        self._words[path, inode] = words
        return words


def environment_of(extra: Mapping[str, str]) -> Mapping[str, str]:
    """Return the environment that says where Claude's files are."""
    return {**os.environ, **extra}


def _lines(path: Path) -> Iterator[str]:
    with path.open(encoding="utf-8", errors="replace") as file:
        yield from file
