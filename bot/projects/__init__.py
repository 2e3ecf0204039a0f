"""Projects: their settings, changes to these, and worktrees."""
