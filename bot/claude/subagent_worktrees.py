"""Whether a subagent may work in a git worktree of its own: an agent's file can say so, and no request tells."""

from pathlib import Path

AGENTS = "agent-*"
"""How Claude Code names such a worktree."""


def agents_work_apart(folder: Path) -> bool:
    """Look for a worktree that Claude Code has made for a subagent; in doubt there is one."""
    try:
        top = next((each for each in (folder, *folder.parents) if (each / ".git").exists()), None)
        if top is None:
            return False
        git = top / ".git"
        if git.is_file():  # in a worktree itself: `gitdir: …/.git/worktrees/name`
            git = (top / git.read_text(encoding="utf-8").partition("gitdir:")[2].strip()).parent.parent
        return any((git / "worktrees").glob(AGENTS)) or any((top / ".claude" / "worktrees").glob(AGENTS))
    except (OSError, ValueError):
        return True
