"""Worktrees: each isolated thread works in a folder of its own, on a branch of its own.

Made with git itself, not with the CLI's --worktree: that one begins at origin's branch and not at the local one,
works at the repository's top and not in the project's folder, and lies inside the user's repository (2.1.326).
"""

from bot.projects.worktrees.status import WorktreeStatus, look, pull_request
from bot.projects.worktrees.worktrees import Orphan, Worktrees

__all__ = ["Orphan", "WorktreeStatus", "Worktrees", "look", "pull_request"]
