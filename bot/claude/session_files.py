"""The CLI's own session files: found by the folder that Claude worked in, and read."""

import os
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from bot.transcript.session_history import EarlierSession, Passage, first_words, passages

HEAD = 256 * 1024
"""Bytes in which the first prompt is looked for; hooks and pictures may stand before it."""
MOST = 100
_SESSION = re.compile(r"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}")


@dataclass(frozen=True, slots=True)
class Sessions:
    """What is remembered of each folder."""

    environment: Mapping[str, str]
    """Claude's own: it says where its files are."""
    _words: dict[tuple[Path, int], str] = field(default_factory=dict)

    def of(self, folder: Path) -> list[EarlierSession]:
        """Give the folder's sessions in which something was said, newest first."""
        found: list[tuple[float, int, Path]] = []
        for path in self._folder(folder).glob("*.jsonl"):
            if _SESSION.fullmatch(path.stem):
                status = path.stat()
                found.append((status.st_mtime, status.st_ino, path))
        newest = sorted(found, reverse=True)[:MOST]
        earlier = [EarlierSession(path.stem, at, self._begun_with(path, inode)) for at, inode, path in newest]
        return [each for each in earlier if each.words]

    def read(self, folder: Path, session: str) -> list[Passage]:
        """Give what was said in a session; nothing where its file is gone."""
        path = self._folder(folder) / f"{session}.jsonl"
        return list(passages(_lines(path))) if _SESSION.fullmatch(session) and path.is_file() else []

    def _folder(self, folder: Path) -> Path:
        home = self.environment.get("CLAUDE_CONFIG_DIR")
        base = Path(home) if home else Path(self.environment.get("HOME") or Path.home()) / ".claude"
        return base / "projects" / re.sub(r"[^A-Za-z0-9]", "-", str(folder))

    def _begun_with(self, path: Path, inode: int) -> str:
        known = self._words.get((path, inode))
        if known:
            return known
        with path.open("rb") as file:
            head = file.read(HEAD).decode("utf-8", "replace")
        words = first_words(head.splitlines())
        self._words[path, inode] = words
        return words


def environment_of(extra: Mapping[str, str]) -> Mapping[str, str]:
    """What Claude's environment says of where its files are."""
    return {**os.environ, **extra}


def _lines(path: Path) -> Iterator[str]:
    with path.open(encoding="utf-8", errors="replace") as file:
        yield from file
