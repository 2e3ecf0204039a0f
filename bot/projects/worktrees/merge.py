"""Merges the branch of a worktree into its base, completely or not at all."""

from pathlib import Path

from bot.errors import NotDone
from bot.projects import git
from bot.projects.projects import Worktree


async def merged(worktree: Worktree) -> str:
    """Merge after checking that there are no conflicts; raise NotDone if it can't be done."""
    root, base, branch = worktree.repository, worktree.base, worktree.branch
    old = await git.run(root, "rev-parse", "--verify", "--quiet", f"refs/heads/{base}")
    if not old.ok:
        raise NotDone(f"`{base}` is not a branch, so nothing can be merged into it. Use the branch `{branch}` instead.")
    tried = await git.run(root, "merge-tree", "--write-tree", "--name-only", "--no-messages", base, branch)
    tree, *conflicts = tried.out.strip("\n").splitlines() or [""]
    if tried.status == 1:
        files = ", ".join(f"`{name}`" for name in conflicts[:10])
        raise NotDone(f"It conflicts with `{base}` in {files}. Ask Claude to merge `{base}` into the branch first.")
    if not tried.ok:
        raise NotDone(f"git can't merge this: {tried.why}.")
    message = f"Merge branch '{branch}'"
    place = await _checked_out(root, base)
    if place is None:
        made = await git.output(root, "commit-tree", tree, "-p", base, "-p", branch, "-m", message)
        await git.output(root, "update-ref", "-m", message, f"refs/heads/{base}", made, old.out.strip())
    else:
        if await git.output(place, "status", "--porcelain", "--untracked-files=no"):
            raise NotDone(f"{place} has uncommitted changes. Commit or stash them there, then merge.")
        merged = await git.run(place, "merge", "--no-ff", "--no-edit", "-m", message, branch)
        if not merged.ok:
            await git.run(place, "merge", "--abort")
            raise NotDone(f"git did not merge: {merged.why}.")
    return f"Merged `{branch}` into `{base}`."


async def _checked_out(root: Path, branch: str) -> Path | None:
    """Return the folder in which a branch is checked out; None if there is none."""
    place: Path | None = None
    for line in (await git.output(root, "worktree", "list", "--porcelain")).splitlines():
        if line.startswith("worktree "):
            place = Path(line.removeprefix("worktree "))
        elif line == f"branch refs/heads/{branch}":
            return place
    return None
