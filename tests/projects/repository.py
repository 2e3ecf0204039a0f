"""A git repository to work in."""

import os
import subprocess
from pathlib import Path

WHO = {"GIT_AUTHOR_NAME": "Ada", "GIT_AUTHOR_EMAIL": "ada@example.org"}
IDENTITY = WHO | {
    "GIT_COMMITTER_NAME": "Ada",
    "GIT_COMMITTER_EMAIL": "ada@example.org",
    "GIT_CONFIG_GLOBAL": os.devnull,
}


def git(folder: Path, *words: str) -> str:
    done = subprocess.run(
        ["git", *words], cwd=folder, env=os.environ | IDENTITY, check=True, capture_output=True, text=True
    )
    return done.stdout.strip()


def repository(folder: Path) -> Path:
    """Make one with a commit on `main`."""
    folder.mkdir(parents=True, exist_ok=True)
    git(folder, "init", "--quiet", "--initial-branch=main")
    git(folder, "config", "user.name", "Ada")
    git(folder, "config", "user.email", "ada@example.org")
    (folder / "app.py").write_text("one\n")
    (folder / ".gitignore").write_text("*.log\n")
    git(folder, "add", "--all")
    git(folder, "commit", "--quiet", "--message", "The beginning")
    return folder


def commit(folder: Path, name: str, text: str) -> None:
    (folder / name).write_text(text)
    git(folder, "add", "--all")
    git(folder, "commit", "--quiet", "--message", f"Change {name}")
