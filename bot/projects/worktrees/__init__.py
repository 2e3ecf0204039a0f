"""Git worktrees for isolated threads, each on its own branch.

Created with git, not with the CLI's --worktree: that one starts from origin's branch instead of the local one, works
at the top of the repository instead of the project's folder, and is inside the user's repository (2.1.326).
"""

from bot.projects.worktrees.pull_request import pull_request
from bot.projects.worktrees.status import WorktreeStatus, look
from bot.projects.worktrees.worktrees import Orphan, Worktrees

__all__ = ["Orphan", "WorktreeStatus", "Worktrees", "look", "pull_request"]
