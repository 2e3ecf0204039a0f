"""A worktree looked at: what is committed in it, what is not, and what it changes."""

import asyncio
import hashlib
import shutil
import tempfile
from dataclasses import dataclass
from pathlib import Path

from bot.errors import NotDone
from bot.projects import git
from bot.projects.projects import Worktree

MOST_COMMITS = 50


@dataclass(frozen=True, slots=True)
class WorktreeStatus:
    """A worktree as it is right now."""

    worktree: Worktree
    there: bool
    """False when its folder is gone: archived, or removed behind our back."""
    changed: tuple[str, ...] = ()
    """Files that are not committed."""
    ignored: tuple[str, ...] = ()
    """Files that git does not look at, and that would be gone with the folder."""
    commits: tuple[str, ...] = ()
    """What was committed and is not in the base; newest first."""
    astray: str = ""
    """What is checked out instead of its own branch."""
    loose: bool = False
    """What is checked out is on no branch at all, and would be lost with the folder."""
    stat: str = ""
    diff: str = ""
    mark: str = ""
    """Tells this state from any other."""

    @property
    def clean(self) -> bool:
        """Whether removing the folder loses nothing: the branch keeps what is committed."""
        return not self.changed and not self.ignored and not self.loose


async def look(worktree: Worktree) -> WorktreeStatus:
    """See what a worktree holds: its commits, and everything that is in none."""
    root, path = worktree.repository, worktree.path
    if not root.is_dir():
        raise NotDone(f"The repository {root} is gone.")
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
        astray=await _astray(worktree),
        loose=not await git.output(path, "for-each-ref", "--count=1", "--contains", head),
        stat=stat,
        diff=diff,
        mark=hashlib.sha256("\0".join((head, tree, *ignored)).encode()).hexdigest()[:20],
    )


async def _commits(worktree: Worktree, folder: Path, *ends: str) -> tuple[str, ...]:
    """List what the base does not have; where the base is gone, all since the beginning."""
    for begin in (worktree.base, worktree.fork):
        there = [end for end in ends if (await git.run(folder, "rev-parse", "--verify", "--quiet", end)).ok]
        said = await git.run(folder, "log", f"--max-count={MOST_COMMITS}", "--format=%h %s", *there, f"^{begin}", "--")
        if there and said.ok:
            return tuple(said.out.splitlines())
    return ()


async def _astray(worktree: Worktree) -> str:
    """Say what is checked out if it is not the worktree's own branch."""
    said = await git.run(worktree.path, "symbolic-ref", "--quiet", "--short", "HEAD")
    now = said.out.strip() or "no branch"
    return "" if now == worktree.branch else now


async def _differences(worktree: Worktree) -> tuple[str, str, str]:
    """Compare all that is there, new files too, with the base; in an index of our own, so that nothing changes."""
    path = worktree.path
    begun = await git.run(path, "merge-base", worktree.base, "HEAD")
    since = begun.out.strip() if begun.ok else worktree.fork
    index = Path(await git.output(path, "rev-parse", "--path-format=absolute", "--git-path", "index"))
    with tempfile.TemporaryDirectory() as folder:
        copy = Path(folder) / "index"
        await asyncio.to_thread(shutil.copyfile, index, copy)
        ours = {"GIT_INDEX_FILE": str(copy)}
        await git.output(path, "add", "--all", environment=ours)
        tree = await git.output(path, "write-tree", environment=ours)
    stat = await git.output(path, "diff", "--stat=72", since, tree)
    return tree, stat, await git.output(path, "diff", since, tree)


def pull_request(state: WorktreeStatus, title: str) -> str:
    """Write the text of a pull request: what it does, and what it changes."""
    subjects = [commit.partition(" ")[2] for commit in reversed(state.commits)]
    heading = subjects[0] if len(subjects) == 1 else title
    changes = "\n".join(f"- {subject}" for subject in subjects) or "- (nothing is committed yet)"
    push = f"git push -u origin {state.worktree.branch}"
    return f"# {heading}\n\n{changes}\n\n```\n{state.stat}\n```\n\n<!-- Push it with: {push} -->\n"
