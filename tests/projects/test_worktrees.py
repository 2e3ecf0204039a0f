"""Worktrees with real git: isolated, merged whole or not at all, and nothing uncommitted is lost without a yes."""

import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from bot import config
from bot.errors import ClaudeError, NotDone
from bot.projects.projects import Projects, Worktree
from bot.projects.worktrees import Worktrees, pull_request
from bot.records import ConversationRecord
from bot.store import Store
from tests.fixtures.git_repository import commit, git, repository

THREAD = 9


class Ground:
    """A project in a repository, with one thread in a worktree of its own."""

    def __init__(self, root: Path, store: Store) -> None:
        self.root = root
        self.store = store
        self.repository = repository(root / "project")
        self.worktrees = self.opened()
        store.add_conversation(ConversationRecord(THREAD, "demo", "Fix the login: quickly!", 0.0))

    def opened(self, folder: str = "project") -> Worktrees:
        demo = {"folder": folder, "channels": [2], "isolation": "worktree"}
        raw = {"people": {"users": [1]}, "projects": {"demo": demo}}
        settings = config.check(raw, base=self.root, source="the test's settings")
        self.projects = Projects(settings, self.store)
        return Worktrees(self.root / "state" / "worktrees", self.store, self.projects)

    @property
    def worktree(self) -> Worktree:
        worktree = self.store.worktree(THREAD)
        assert worktree is not None
        return worktree

    def branches(self) -> list[str]:
        return git(self.repository, "branch", "--format=%(refname:short)").splitlines()


@pytest.fixture
def ground(tmp_path: Path) -> Iterator[Ground]:
    with Store.open(tmp_path / "state.sqlite3") as store:
        yield Ground(tmp_path, store)


async def test_a_thread_gets_a_folder_and_a_branch_of_its_own(ground: Ground) -> None:
    commit(ground.repository, "local.py", "only here\n")
    await ground.worktrees.prepare(THREAD)
    worktree = ground.worktree
    assert worktree.branch == "claude/fix-the-login-quickly"
    assert worktree.base == "main"
    assert (worktree.path / "local.py").exists(), "it begins at the local branch, not at a remote one"
    project = ground.projects.in_thread(THREAD)
    assert project is not None
    assert project.folder == worktree.folder == ground.root / "state" / "worktrees" / str(THREAD)
    await ground.worktrees.prepare(THREAD)
    assert ground.branches() == [worktree.branch, "main"]
    assert git(ground.repository, "status", "--porcelain") == ""


async def test_a_project_inside_a_repository_works_at_the_same_place_in_the_worktree(ground: Ground) -> None:
    (ground.repository / "packages" / "web").mkdir(parents=True)
    await ground.opened("project/packages/web").prepare(THREAD)
    assert ground.worktree.folder == ground.worktree.path / "packages" / "web"
    assert ground.worktree.folder.is_dir()


async def test_two_threads_with_the_same_name_have_two_branches(ground: Ground) -> None:
    ground.store.add_conversation(ConversationRecord(10, "demo", "Fix the login, quickly", 0.0))
    await ground.worktrees.prepare(THREAD)
    await ground.worktrees.prepare(10)
    assert sorted(ground.branches()) == ["claude/fix-the-login-quickly", "claude/fix-the-login-quickly-10", "main"]


async def test_a_folder_that_is_no_repository_is_told_with_the_cure(ground: Ground) -> None:
    shutil.rmtree(ground.repository / ".git")
    with pytest.raises(ClaudeError, match=r'is in no git repository.* set isolation to "none"'):
        await ground.worktrees.prepare(THREAD)
    git(ground.repository, "init", "--quiet")
    with pytest.raises(ClaudeError, match="has no commit yet"):
        await ground.worktrees.prepare(THREAD)


async def test_a_state_holds_commits_changes_and_new_files_and_changes_nothing_by_looking(ground: Ground) -> None:
    await ground.worktrees.prepare(THREAD)
    folder = ground.worktree.folder
    commit(folder, "done.py", "done\n")
    (folder / "app.py").write_text("two\n")
    (folder / "new file.py").write_text("new\n")
    before = git(folder, "status", "--porcelain")
    state = await ground.worktrees.state(THREAD)
    assert state is not None
    assert git(folder, "status", "--porcelain") == before
    assert set(state.changed) == {"app.py", "new file.py"}
    assert [line.partition(" ")[2] for line in state.commits] == ["Change done.py"]
    for text in ("+done", "-one", "+two", "+new"):
        assert text in state.diff.splitlines()
    assert "3 files changed" in state.stat
    text = pull_request(state, "Fix the login")
    assert text.startswith("# Change done.py\n\n- Change done.py\n")
    assert "git push -u origin claude/fix-the-login-quickly" in text


async def test_a_merge_is_whole_where_the_base_is_checked_out(ground: Ground) -> None:
    await ground.worktrees.prepare(THREAD)
    with pytest.raises(NotDone, match="nothing on"):
        await ground.worktrees.merge(THREAD)
    (ground.worktree.folder / "new.py").write_text("new\n")
    with pytest.raises(NotDone, match="not committed yet"):
        await ground.worktrees.merge(THREAD)
    assert (await ground.worktrees.commit(THREAD, "Add new.py")).endswith("Add new.py")
    (ground.repository / "app.py").write_text("being changed by a person\n")
    with pytest.raises(NotDone, match="has changes that are not committed"):
        await ground.worktrees.merge(THREAD)
    assert (ground.repository / "app.py").read_text() == "being changed by a person\n"
    git(ground.repository, "checkout", "--quiet", "app.py")
    assert "is merged into `main`" in await ground.worktrees.merge(THREAD)
    assert (ground.repository / "new.py").read_text() == "new\n"


async def test_a_merge_reaches_a_base_that_is_checked_out_nowhere(ground: Ground) -> None:
    await ground.worktrees.prepare(THREAD)
    commit(ground.worktree.folder, "new.py", "new\n")
    git(ground.repository, "checkout", "--quiet", "-b", "elsewhere")
    await ground.worktrees.merge(THREAD)
    assert git(ground.repository, "show", "main:new.py") == "new"
    assert not (ground.repository / "new.py").exists()
    assert git(ground.repository, "status", "--porcelain") == ""


async def test_a_conflict_is_told_by_its_files_and_leaves_no_half_merge(ground: Ground) -> None:
    await ground.worktrees.prepare(THREAD)
    commit(ground.worktree.folder, "app.py", "theirs\n")
    commit(ground.repository, "app.py", "ours\n")
    head = git(ground.repository, "rev-parse", "HEAD")
    with pytest.raises(NotDone, match=r"conflicts with `main` in `app.py`"):
        await ground.worktrees.merge(THREAD)
    assert git(ground.repository, "rev-parse", "HEAD") == head
    assert git(ground.repository, "status", "--porcelain") == ""
    assert (ground.repository / "app.py").read_text() == "ours\n"


async def test_a_clean_worktree_is_removed_and_comes_back_at_the_same_place(ground: Ground) -> None:
    await ground.worktrees.prepare(THREAD)
    path = ground.worktree.path
    commit(ground.worktree.folder, "kept.py", "kept\n")
    assert await ground.worktrees.tidy(THREAD) is None
    assert not path.exists()
    assert "claude/fix-the-login-quickly" in ground.branches(), "what is committed stays"
    await ground.worktrees.prepare(THREAD)
    assert (path / "kept.py").read_text() == "kept\n"


async def test_a_worktree_that_did_nothing_leaves_nothing(ground: Ground) -> None:
    await ground.worktrees.prepare(THREAD)
    assert await ground.worktrees.tidy(THREAD) is None
    assert ground.branches() == ["main"]
    assert ground.store.worktree(THREAD) is None


@pytest.mark.parametrize("name", ["app.py", "new.py", "debug.log"])
async def test_what_is_not_committed_is_never_removed_without_a_yes_to_that_very_state(
    ground: Ground, name: str
) -> None:
    await ground.worktrees.prepare(THREAD)
    file = ground.worktree.folder / name
    file.write_text("precious\n")
    asked = await ground.worktrees.tidy(THREAD)
    assert asked is not None
    assert file.read_text() == "precious\n"
    (ground.worktree.folder / "later.py").write_text("written after the question\n")
    with pytest.raises(NotDone, match="has changed since you were asked"):
        await ground.worktrees.discard(THREAD, asked.mark)
    assert file.read_text() == "precious\n"
    again = await ground.worktrees.state(THREAD)
    assert again is not None
    await ground.worktrees.discard(THREAD, again.mark)
    assert not file.exists()
    assert ground.branches() == ["main"]


async def test_commits_outlive_a_base_that_is_gone(ground: Ground) -> None:
    git(ground.repository, "checkout", "--quiet", "-b", "passing")
    await ground.worktrees.prepare(THREAD)
    commit(ground.worktree.folder, "kept.py", "kept\n")
    git(ground.repository, "checkout", "--quiet", "main")
    git(ground.repository, "branch", "--quiet", "-D", "passing")
    state = await ground.worktrees.state(THREAD)
    assert state is not None
    assert len(state.commits) == 1
    await ground.worktrees.tidy(THREAD)
    assert git(ground.repository, "show", f"{ground.worktree.branch}:kept.py") == "kept"


async def test_commits_on_no_branch_are_never_removed_without_a_yes(ground: Ground) -> None:
    await ground.worktrees.prepare(THREAD)
    folder = ground.worktree.folder
    git(folder, "checkout", "--quiet", "--detach")
    commit(folder, "loose.py", "loose\n")
    state = await ground.worktrees.tidy(THREAD)
    assert state is not None
    assert state.loose
    assert (state.astray, len(state.commits)) == ("no branch", 1)
    with pytest.raises(NotDone, match="is on no branch, not on"):
        await ground.worktrees.merge(THREAD)
    git(folder, "checkout", "--quiet", "-b", "other")
    assert await ground.worktrees.tidy(THREAD) is None
    assert git(ground.repository, "show", "other:loose.py") == "loose"


async def test_a_folder_removed_behind_our_back_comes_back_with_its_branch(ground: Ground) -> None:
    await ground.worktrees.prepare(THREAD)
    commit(ground.worktree.folder, "kept.py", "kept\n")
    shutil.rmtree(ground.worktree.path)
    state = await ground.worktrees.state(THREAD)
    assert state is not None
    assert not state.there
    assert len(state.commits) == 1
    await ground.worktrees.prepare(THREAD)
    assert (ground.worktree.folder / "kept.py").exists()
    shutil.rmtree(ground.worktree.path)
    git(ground.repository, "worktree", "prune")
    git(ground.repository, "branch", "-D", ground.worktree.branch)
    await ground.worktrees.prepare(THREAD)
    assert (ground.worktree.folder / "app.py").exists(), "without the branch it begins anew"
    shutil.rmtree(ground.repository)
    with pytest.raises(NotDone, match="is gone"):
        await ground.worktrees.state(THREAD)


async def test_a_base_that_is_no_branch_is_told(ground: Ground) -> None:
    git(ground.repository, "checkout", "--quiet", "--detach")
    await ground.worktrees.prepare(THREAD)
    commit(ground.worktree.folder, "new.py", "new\n")
    with pytest.raises(NotDone, match="is no branch"):
        await ground.worktrees.merge(THREAD)


async def test_orphans_are_found_and_left_alone(ground: Ground) -> None:
    await ground.worktrees.prepare(THREAD)
    stray = ground.worktrees.home / "12345"
    stray.mkdir()
    assert [orphan.path for orphan in ground.worktrees.orphans()] == [stray]
    ground.store.forget_conversation(THREAD)
    paths = [orphan.path for orphan in ground.opened().orphans()]
    assert paths == [stray, ground.worktree.path]
    assert (ground.worktree.path / "app.py").exists()
