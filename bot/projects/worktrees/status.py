"""Finds the status of a worktree: its commits, uncommitted files and diff."""

import asyncio
import hashlib
import shutil
import tempfile
from dataclasses import dataclass
from pathlib import Path

from bot.errors import NotDone
from bot.projects import git
from bot.projects.projects import Worktree

MAX_COMMITS = 50


@dataclass(frozen=True, slots=True)
class WorktreeStatus:
    """The current status of a worktree."""

    worktree: Worktree
    there: bool
    """False if its folder is gone: archived, or removed by someone else."""
    changed: tuple[str, ...] = ()
    """Uncommitted files."""
    ignored: tuple[str, ...] = ()
    """Files that git ignores; they would be lost with the folder."""
    commits: tuple[str, ...] = ()
    """Commits that are not in the base, newest first."""
    astray: str = ""
    """The branch that is checked out instead of its own."""
    loose: bool = False
    """Whether the checked out commit is on no branch; it would be lost with the folder."""
    stat: str = ""
    diff: str = ""
    mark: str = ""
    """A hash of this state."""

    @property
    def clean(self) -> bool:
        """Whether removing the folder loses nothing: commits stay on the branch."""
        return not self.changed and not self.ignored and not self.loose


async def look(worktree: Worktree) -> WorktreeStatus:
    """Return the status of a worktree."""
    root, path = worktree.repository, worktree.path
    if not root.is_dir():
        raise NotDone(f"The repository {root} no longer exists.")
    if not (path / ".git").exists():
        return WorktreeStatus(
            worktree, there=False, commits=await _commits(worktree, root, worktree.branch), mark="gone"
        )
    status = await git.output(path, "status", "--porcelain", "-z", "--no-renames", "--ignored")
    entries = [entry for entry in status.split("\0") if entry]
    ignored = tuple(entry[3:] for entry in entries if entry.startswith("!! "))
    tree, stat, diff = await _differences(worktree)
    head = await git.output(path, "rev-parse", "HEAD")
    return WorktreeStatus(
        worktree,
        there=True,
        changed=tuple(entry[3:] for entry in entries if not entry.startswith("!! ")),
        ignored=ignored,
        commits=await _commits(worktree, path, worktree.branch, "HEAD"),
        astray=await _other_branch(worktree),
        loose=not await git.output(path, "for-each-ref", "--count=1", "--contains", head),
        stat=stat,
        diff=diff,
        mark=hashlib.sha256("\0".join((head, tree, *ignored)).encode()).hexdigest()[:20],
    )


async def _commits(worktree: Worktree, folder: Path, *ends: str) -> tuple[str, ...]:
    """List the commits that are not in the base; if the base is gone, all since the worktree was created."""
    for begin in (worktree.base, worktree.fork):
        there = [end for end in ends if (await git.run(folder, "rev-parse", "--verify", "--quiet", end)).ok]
        said = await git.run(folder, "log", f"--max-count={MAX_COMMITS}", "--format=%h %s", *there, f"^{begin}", "--")
        if there and said.ok:
            return tuple(said.out.splitlines())
    return ()


async def _other_branch(worktree: Worktree) -> str:
    """Return the checked out branch if it is not the worktree's own."""
    said = await git.run(worktree.path, "symbolic-ref", "--quiet", "--short", "HEAD")
    now = said.out.strip() or "no branch"
    return "" if now == worktree.branch else now


async def _differences(worktree: Worktree) -> tuple[str, str, str]:
    """Diff all files, including new ones, against the base; use a copy of the index to leave the real one alone."""
    path = worktree.path
    merge_base = await git.run(path, "merge-base", worktree.base, "HEAD")
    since = merge_base.out.strip() if merge_base.ok else worktree.fork
    index = Path(await git.output(path, "rev-parse", "--path-format=absolute", "--git-path", "index"))
    with tempfile.TemporaryDirectory() as folder:
        copy = Path(folder) / "index"
        await asyncio.to_thread(shutil.copyfile, index, copy)
        ours = {"GIT_INDEX_FILE": str(copy)}
        await git.output(path, "add", "--all", environment=ours)
        tree = await git.output(path, "write-tree", environment=ours)
    stat = await git.output(path, "diff", "--stat=72", since, tree)
    return tree, stat, await git.output(path, "diff", since, tree)
