"""Projects: their settings as they are now, their worktrees, and the panel with all of them."""
