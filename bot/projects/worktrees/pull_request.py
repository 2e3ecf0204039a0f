"""The text of a pull request for a worktree's branch."""

from bot.projects.worktrees.status import WorktreeStatus


def pull_request(state: WorktreeStatus, title: str) -> str:
    """Return the text of a pull request: its commits and the files that change."""
    subjects = [commit.partition(" ")[2] for commit in reversed(state.commits)]
    heading = subjects[0] if len(subjects) == 1 else title
    changes = "\n".join(f"- {subject}" for subject in subjects) or "- (no commits yet)"
    push = f"git push -u origin {state.worktree.branch}"
    return f"# {heading}\n\n{changes}\n\n```\n{state.stat}\n```\n\n<!-- Push it with: {push} -->\n"
