"""A worktree's branch brought into its base: whole, or with the reason not at all."""

from pathlib import Path

from bot.errors import NotDone
from bot.projects import git
from bot.projects.projects import Worktree


async def merged(worktree: Worktree) -> str:
    """Merge, without touching anything before it is known that it works."""
    root, base, branch = worktree.repository, worktree.base, worktree.branch
    old = await git.run(root, "rev-parse", "--verify", "--quiet", f"refs/heads/{base}")
    if not old.ok:
        raise NotDone(f"`{base}` is no branch, so nothing can be merged into it; take the branch `{branch}` instead.")
    tried = await git.run(root, "merge-tree", "--write-tree", "--name-only", "--no-messages", base, branch)
    tree, *conflicts = tried.out.strip("\n").splitlines() or [""]
    if tried.status == 1:
        files = ", ".join(f"`{name}`" for name in conflicts[:10])
        raise NotDone(f"It conflicts with `{base}` in {files}. Ask Claude to merge `{base}` into the branch first.")
    if not tried.ok:
        raise NotDone(f"git can't merge this: {tried.why}.")
    words = f"Merge branch '{branch}'"
    place = await _checked_out(root, base)
    if place is None:
        made = await git.output(root, "commit-tree", tree, "-p", base, "-p", branch, "-m", words)
        await git.output(root, "update-ref", "-m", words, f"refs/heads/{base}", made, old.out.strip())
    else:
        if await git.output(place, "status", "--porcelain", "--untracked-files=no"):
            raise NotDone(f"{place} has changes that are not committed; commit or stash them there, then merge.")
        merged = await git.run(place, "merge", "--no-ff", "--no-edit", "-m", words, branch)
        if not merged.ok:
            await git.run(place, "merge", "--abort")
            raise NotDone(f"git did not merge: {merged.why}.")
    return f"`{branch}` is merged into `{base}`."


async def _checked_out(root: Path, branch: str) -> Path | None:
    """Find the folder in which a branch is checked out."""
    place: Path | None = None
    for line in (await git.output(root, "worktree", "list", "--porcelain")).splitlines():
        if line.startswith("worktree "):
            place = Path(line.removeprefix("worktree "))
        elif line == f"branch refs/heads/{branch}":
            return place
    return None
