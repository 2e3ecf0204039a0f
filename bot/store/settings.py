"""Projects and settings from Discord, and the worktrees of threads, in the state file."""

import json
import sqlite3
from collections.abc import Mapping
from contextlib import closing
from dataclasses import asdict
from pathlib import Path
from typing import Any

from bot.config import Choices
from bot.projects.projects import AddedProject, ProjectLayer, Worktree
from bot.store.database import Database


class SettingsTables(Database):
    """Stores settings that are not in the configuration file."""

    def project_choices(self) -> Mapping[tuple[str, ProjectLayer], Choices]:
        return {
            (row["project"], row["layer"]): Choices.model_validate_json(row["choices"])
            for row in self._all("SELECT * FROM project_choice")
        }

    def set_project_choices(self, project: str, layer: ProjectLayer, choices: Choices) -> None:
        values = {"project": project, "layer": layer, "choices": choices.model_dump_json(exclude_none=True)}
        self._insert("project_choice", values, otherwise="OR REPLACE")

    def added_projects(self) -> list[AddedProject]:
        return [_added(row) for row in self._all("SELECT * FROM added_project ORDER BY added_at")]

    def add_project(self, added: AddedProject) -> None:
        values = asdict(added) | {"folder": str(added.folder), "channels": json.dumps(sorted(added.channels))}
        self._insert("added_project", values, otherwise="OR REPLACE")

    def remove_project(self, name: str) -> None:
        """Remove a project, its settings and its rules: the next project of this name may be in another folder."""
        with self._transaction():
            self._db.execute("DELETE FROM rule WHERE project = ?", (name,))
            self._db.execute("DELETE FROM added_project WHERE name = ?", (name,))
            self._db.execute("DELETE FROM project_choice WHERE project = ?", (name,))

    def worktree(self, conversation: int) -> Worktree | None:
        row = self._one("SELECT * FROM worktree WHERE conversation = ?", conversation)
        return _worktree(row) if row else None

    def worktrees(self) -> list[Worktree]:
        return [_worktree(row) for row in self._all("SELECT * FROM worktree ORDER BY created_at")]

    def keep_worktree(self, worktree: Worktree) -> None:
        values = {name: str(value) if isinstance(value, Path) else value for name, value in asdict(worktree).items()}
        self._insert("worktree", values, otherwise="OR REPLACE")

    def forget_worktree(self, conversation: int) -> None:
        self._db.execute("DELETE FROM worktree WHERE conversation = ?", (conversation,))


def added_in(path: Path) -> list[AddedProject]:
    """Read the added projects from a state file, even while the bot runs; empty if it can't be read."""
    try:
        with closing(sqlite3.connect(f"{path.resolve().as_uri()}?mode=ro", uri=True)) as file:
            file.row_factory = sqlite3.Row
            return [_added(dict(row)) for row in file.execute("SELECT * FROM added_project ORDER BY added_at")]
    except sqlite3.Error:  # no bot has run here yet, or only one from before this table
        return []


def _added(row: dict[str, Any]) -> AddedProject:
    return AddedProject(**(row | {"folder": Path(row["folder"]), "channels": frozenset(json.loads(row["channels"]))}))


def _worktree(row: dict[str, Any]) -> Worktree:
    return Worktree(**(row | {name: Path(row[name]) for name in ("repository", "path", "folder")}))
