"""Finds out whether a subagent may work in its own git worktree: an agent's file can say so, but no request does."""

from pathlib import Path

WORKTREE_NAMES = "agent-*"
"""Claude Code's names for these worktrees."""


def agents_work_apart(folder: Path) -> bool:
    """Check for a worktree that Claude Code created for a subagent; return True in doubt."""
    try:
        top = next((each for each in (folder, *folder.parents) if (each / ".git").exists()), None)
        if top is None:
            return False
        git = top / ".git"
        if git.is_file():  # this folder is itself a worktree: `gitdir: …/.git/worktrees/name`
            git = (top / git.read_text(encoding="utf-8").partition("gitdir:")[2].strip()).parent.parent
        return any((git / "worktrees").glob(WORKTREE_NAMES)) or any(
            (top / ".claude" / "worktrees").glob(WORKTREE_NAMES)
        )
    except (OSError, ValueError):
        return True
