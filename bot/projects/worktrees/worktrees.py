"""Creates, inspects, merges and removes the worktrees of threads."""

import asyncio
import re
import time
from collections import defaultdict
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Protocol

from bot.config import Project
from bot.errors import ClaudeError, NotDone
from bot.private_files import make_folder
from bot.projects import git
from bot.projects.projects import Projects, Worktree
from bot.projects.worktrees.merge import merged
from bot.projects.worktrees.status import WorktreeStatus, look
from bot.records import ConversationRecord
from bot.text.count import count

_SLUG = re.compile(r"[^a-z0-9]+")


class WorktreeStore(Protocol):
    """Stores worktrees."""

    def conversation(self, conversation: int) -> ConversationRecord | None: ...
    def worktree(self, conversation: int) -> Worktree | None: ...
    def worktrees(self) -> list[Worktree]: ...
    def keep_worktree(self, worktree: Worktree) -> None: ...
    def forget_worktree(self, conversation: int) -> None: ...


@dataclass(frozen=True, slots=True)
class Orphan:
    """A worktree's folder that no longer belongs to a thread."""

    path: Path
    worktree: Worktree | None


class Worktrees:
    """The worktrees of all threads. Uncommitted work is removed only if someone confirmed it for exactly that state."""

    def __init__(self, home: Path, store: WorktreeStore, projects: Projects) -> None:
        self.home = home
        self.in_use: Callable[[int], bool] = lambda _: False
        """Whether Claude is working in a thread, or about to: then nothing is removed."""
        self._store = store
        self._projects = projects
        self._locks = defaultdict[int, asyncio.Lock](asyncio.Lock)

    async def prepare(self, conversation: int) -> None:
        """Create a thread's worktree if it needs one; raise ClaudeError if that is impossible."""
        self._projects.keep_out(conversation)
        record = self._store.conversation(conversation)
        project = self._projects.settings.projects.get(record.project) if record else None
        if record is None or project is None or project.at(record.own).isolation != "worktree":
            return
        async with self._locks[conversation]:
            try:
                await self._ensure(record, project.at(record.own))
            except NotDone as error:
                raise ClaudeError(str(error)) from None

    async def state(self, conversation: int) -> WorktreeStatus | None:
        """Return the status of a thread's worktree; None if it has none."""
        worktree = self._store.worktree(conversation)
        if worktree is None:
            return None
        async with self._locks[conversation]:
            return await look(worktree)

    async def commit(self, conversation: int, message: str) -> str:
        """Commit everything in the worktree, including new files."""
        worktree = self._required(conversation)
        async with self._locks[conversation]:
            await git.output(worktree.path, "add", "--all")
            await git.output(worktree.path, "commit", "--quiet", "--message", message)
            return await git.output(worktree.path, "log", "-1", "--format=%h %s")

    async def merge(self, conversation: int) -> str:
        """Merge the branch into its base; raise NotDone if that is not possible."""
        worktree = self._required(conversation)
        async with self._locks[conversation]:
            state = await look(worktree)
            if state.changed:
                changed = count(len(state.changed), "changed file")
                raise NotDone(f"The worktree has {changed} not committed yet. Commit all changes first.")
            if state.astray:
                raise NotDone(
                    f"The worktree is on {state.astray}, not on `{worktree.branch}`. Ask Claude to switch back."
                )
            if not state.commits:
                raise NotDone(
                    f"There is nothing to merge: `{worktree.base}` already has every commit of `{worktree.branch}`."
                )
            return await merged(worktree)

    async def discard(self, conversation: int, mark: str) -> str:
        """Remove the worktree and its branch; raise NotDone if it has changed since someone confirmed it."""
        worktree = self._required(conversation)
        async with self._locks[conversation]:
            state = await look(worktree)
            if state.mark != mark:
                raise NotDone("The worktree has changed since you were asked. Look again, then decide.")
            if self.in_use(conversation):
                raise NotDone("Claude is working here again. Stop it first.")
            if state.there:
                await git.output(worktree.repository, "worktree", "remove", "--force", str(worktree.path))
            await _delete_branch(worktree)
            self._store.forget_worktree(conversation)
            return f"Removed `{worktree.branch}` and its folder."

    def spare(self, conversation: int, mark: str) -> None:
        """Remember that someone wants to keep the worktree: don't ask again until it changes."""
        self._store.keep_worktree(replace(self._required(conversation), spared=mark))

    async def tidy(self, conversation: int) -> WorktreeStatus | None:
        """Remove a worktree if nothing is lost; otherwise return its status."""
        worktree = self._store.worktree(conversation)
        if worktree is None:
            return None
        async with self._locks[conversation]:
            state = await look(worktree)
            if not state.there or self.in_use(conversation):
                return None
            if not state.clean:
                return state
            # Without --force, git checks once more and refuses if something would be lost.
            await git.output(worktree.repository, "worktree", "remove", str(worktree.path))
            if not state.commits:
                await _delete_branch(worktree)
                self._store.forget_worktree(conversation)
            return None

    def orphans(self) -> list[Orphan]:
        """Return the folders whose thread or project no longer exists."""
        known = {worktree.path: worktree for worktree in self._store.worktrees()}
        folders = sorted(self.home.iterdir()) if self.home.is_dir() else []
        found = [Orphan(path, known.get(path)) for path in folders]
        return [orphan for orphan in found if orphan.worktree is None or not self._has_thread(orphan.worktree)]

    def _has_thread(self, worktree: Worktree) -> bool:
        record = self._store.conversation(worktree.conversation)
        return record is not None and record.project in self._projects.settings.projects

    def _required(self, conversation: int) -> Worktree:
        worktree = self._store.worktree(conversation)
        if worktree is None:
            raise NotDone("This thread has no worktree.")
        return worktree

    async def _ensure(self, record: ConversationRecord, project: Project) -> None:
        worktree = self._store.worktree(record.id)
        if worktree is None:
            worktree = await self._create(record, project)
        elif not (worktree.path / ".git").exists():
            await self._create_again(worktree)
        # Git creates no folder if the project's folder has no committed files.
        worktree.folder.mkdir(parents=True, exist_ok=True)

    async def _create(self, record: ConversationRecord, project: Project) -> Worktree:
        folder = project.folder
        top = await git.run(folder, "rev-parse", "--show-toplevel")
        if not top.ok:
            raise NotDone(
                f"{folder} is not in a git repository, so this thread can't have its own worktree. "
                'Run `git init` there and commit, or set isolation to "none".'
            )
        head = await git.run(folder, "rev-parse", "--verify", "--quiet", "HEAD^{commit}")
        if not head.ok:
            raise NotDone(
                f"{folder} has no commits yet, so there is nothing to branch from. Make a commit, then write again."
            )
        branch = await git.run(folder, "symbolic-ref", "--quiet", "--short", "HEAD")
        root = Path(top.out.strip("\n"))  # git returns an absolute path without links
        path = self.home / str(record.id)
        made = Worktree(
            conversation=record.id,
            repository=root,
            path=path,
            folder=path / folder.resolve().relative_to(root),
            branch=await _free_branch(root, record),
            base=branch.out.strip() or head.out.strip(),
            fork=head.out.strip(),
            created_at=time.time(),
        )
        make_folder(self.home)
        await git.output(root, "worktree", "add", "--quiet", "-b", made.branch, str(path), made.fork)
        self._store.keep_worktree(made)
        return made

    async def _create_again(self, worktree: Worktree) -> None:
        """Create a missing folder again at the same path, by which Claude's session knows it."""
        root = worktree.repository
        await git.output(root, "worktree", "prune")
        path, branch = str(worktree.path), worktree.branch
        kept = await git.run(root, "rev-parse", "--verify", "--quiet", f"refs/heads/{branch}")
        begin = (path, branch) if kept.ok else ("-b", branch, path, worktree.fork)
        await git.output(root, "worktree", "add", "--quiet", *begin)


async def _free_branch(root: Path, record: ConversationRecord) -> str:
    slug = _SLUG.sub("-", record.title.casefold()).strip("-")[:40].strip("-") or "thread"
    name = f"claude/{slug}"
    taken = await git.run(root, "rev-parse", "--verify", "--quiet", f"refs/heads/{name}")
    return f"{name}-{record.id}" if taken.ok else name


async def _delete_branch(worktree: Worktree) -> None:
    await git.run(worktree.repository, "worktree", "prune")
    await git.run(worktree.repository, "branch", "--quiet", "-D", worktree.branch)
