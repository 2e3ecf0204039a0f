"""Tests worktrees with real git: isolated, merged completely or not at all, nothing uncommitted lost without a yes."""

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


class WorktreeSetup:
    """A project in a repository, with one thread in its own worktree."""

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
def setup(tmp_path: Path) -> Iterator[WorktreeSetup]:
    with Store.open(tmp_path / "state.sqlite3") as store:
        yield WorktreeSetup(tmp_path, store)


async def test_a_thread_gets_a_folder_and_a_branch_of_its_own(setup: WorktreeSetup) -> None:
    commit(setup.repository, "local.py", "only here\n")
    await setup.worktrees.prepare(THREAD)
    worktree = setup.worktree
    assert worktree.branch == "claude/fix-the-login-quickly"
    assert worktree.base == "main"
    assert (worktree.path / "local.py").exists(), "it begins at the local branch, not at a remote one"
    project = setup.projects.in_thread(THREAD)
    assert project is not None
    assert project.folder == worktree.folder == setup.root / "state" / "worktrees" / str(THREAD)
    await setup.worktrees.prepare(THREAD)
    assert setup.branches() == [worktree.branch, "main"]
    assert git(setup.repository, "status", "--porcelain") == ""


async def test_a_project_inside_a_repository_works_at_the_same_place_in_the_worktree(setup: WorktreeSetup) -> None:
    (setup.repository / "packages" / "web").mkdir(parents=True)
    await setup.opened("project/packages/web").prepare(THREAD)
    assert setup.worktree.folder == setup.worktree.path / "packages" / "web"
    assert setup.worktree.folder.is_dir()


async def test_two_threads_with_the_same_name_have_two_branches(setup: WorktreeSetup) -> None:
    setup.store.add_conversation(ConversationRecord(10, "demo", "Fix the login, quickly", 0.0))
    await setup.worktrees.prepare(THREAD)
    await setup.worktrees.prepare(10)
    assert sorted(setup.branches()) == ["claude/fix-the-login-quickly", "claude/fix-the-login-quickly-10", "main"]


async def test_a_folder_that_is_no_repository_is_told_with_the_cure(setup: WorktreeSetup) -> None:
    shutil.rmtree(setup.repository / ".git")
    with pytest.raises(ClaudeError, match=r'is not in a git repository.* set isolation to "none"'):
        await setup.worktrees.prepare(THREAD)
    git(setup.repository, "init", "--quiet")
    with pytest.raises(ClaudeError, match="has no commits yet"):
        await setup.worktrees.prepare(THREAD)


async def test_a_state_holds_commits_changes_and_new_files_and_changes_nothing_by_looking(setup: WorktreeSetup) -> None:
    await setup.worktrees.prepare(THREAD)
    folder = setup.worktree.folder
    commit(folder, "done.py", "done\n")
    (folder / "app.py").write_text("two\n")
    (folder / "new file.py").write_text("new\n")
    before = git(folder, "status", "--porcelain")
    state = await setup.worktrees.state(THREAD)
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


async def test_a_merge_is_whole_where_the_base_is_checked_out(setup: WorktreeSetup) -> None:
    await setup.worktrees.prepare(THREAD)
    with pytest.raises(NotDone, match="nothing to merge"):
        await setup.worktrees.merge(THREAD)
    (setup.worktree.folder / "new.py").write_text("new\n")
    with pytest.raises(NotDone, match="not committed yet"):
        await setup.worktrees.merge(THREAD)
    assert (await setup.worktrees.commit(THREAD, "Add new.py")).endswith("Add new.py")
    (setup.repository / "app.py").write_text("being changed by a person\n")
    with pytest.raises(NotDone, match="has uncommitted changes"):
        await setup.worktrees.merge(THREAD)
    assert (setup.repository / "app.py").read_text() == "being changed by a person\n"
    git(setup.repository, "checkout", "--quiet", "app.py")
    assert "into `main`" in await setup.worktrees.merge(THREAD)
    assert (setup.repository / "new.py").read_text() == "new\n"


async def test_a_merge_reaches_a_base_that_is_checked_out_nowhere(setup: WorktreeSetup) -> None:
    await setup.worktrees.prepare(THREAD)
    commit(setup.worktree.folder, "new.py", "new\n")
    git(setup.repository, "checkout", "--quiet", "-b", "elsewhere")
    await setup.worktrees.merge(THREAD)
    assert git(setup.repository, "show", "main:new.py") == "new"
    assert not (setup.repository / "new.py").exists()
    assert git(setup.repository, "status", "--porcelain") == ""


async def test_a_conflict_is_told_by_its_files_and_leaves_no_half_merge(setup: WorktreeSetup) -> None:
    await setup.worktrees.prepare(THREAD)
    commit(setup.worktree.folder, "app.py", "theirs\n")
    commit(setup.repository, "app.py", "ours\n")
    head = git(setup.repository, "rev-parse", "HEAD")
    with pytest.raises(NotDone, match=r"conflicts with `main` in `app.py`"):
        await setup.worktrees.merge(THREAD)
    assert git(setup.repository, "rev-parse", "HEAD") == head
    assert git(setup.repository, "status", "--porcelain") == ""
    assert (setup.repository / "app.py").read_text() == "ours\n"


async def test_a_clean_worktree_is_removed_and_comes_back_at_the_same_place(setup: WorktreeSetup) -> None:
    await setup.worktrees.prepare(THREAD)
    path = setup.worktree.path
    commit(setup.worktree.folder, "kept.py", "kept\n")
    assert await setup.worktrees.tidy(THREAD) is None
    assert not path.exists()
    assert "claude/fix-the-login-quickly" in setup.branches(), "what is committed stays"
    await setup.worktrees.prepare(THREAD)
    assert (path / "kept.py").read_text() == "kept\n"


async def test_a_worktree_that_did_nothing_leaves_nothing(setup: WorktreeSetup) -> None:
    await setup.worktrees.prepare(THREAD)
    assert await setup.worktrees.tidy(THREAD) is None
    assert setup.branches() == ["main"]
    assert setup.store.worktree(THREAD) is None


@pytest.mark.parametrize("name", ["app.py", "new.py", "debug.log"])
async def test_what_is_not_committed_is_never_removed_without_a_yes_to_that_very_state(
    setup: WorktreeSetup, name: str
) -> None:
    await setup.worktrees.prepare(THREAD)
    file = setup.worktree.folder / name
    file.write_text("precious\n")
    asked = await setup.worktrees.tidy(THREAD)
    assert asked is not None
    assert file.read_text() == "precious\n"
    (setup.worktree.folder / "later.py").write_text("written after the question\n")
    with pytest.raises(NotDone, match="has changed since you were asked"):
        await setup.worktrees.discard(THREAD, asked.mark)
    assert file.read_text() == "precious\n"
    again = await setup.worktrees.state(THREAD)
    assert again is not None
    await setup.worktrees.discard(THREAD, again.mark)
    assert not file.exists()
    assert setup.branches() == ["main"]


async def test_commits_outlive_a_base_that_is_gone(setup: WorktreeSetup) -> None:
    git(setup.repository, "checkout", "--quiet", "-b", "passing")
    await setup.worktrees.prepare(THREAD)
    commit(setup.worktree.folder, "kept.py", "kept\n")
    git(setup.repository, "checkout", "--quiet", "main")
    git(setup.repository, "branch", "--quiet", "-D", "passing")
    state = await setup.worktrees.state(THREAD)
    assert state is not None
    assert len(state.commits) == 1
    await setup.worktrees.tidy(THREAD)
    assert git(setup.repository, "show", f"{setup.worktree.branch}:kept.py") == "kept"


async def test_commits_on_no_branch_are_never_removed_without_a_yes(setup: WorktreeSetup) -> None:
    await setup.worktrees.prepare(THREAD)
    folder = setup.worktree.folder
    git(folder, "checkout", "--quiet", "--detach")
    commit(folder, "loose.py", "loose\n")
    state = await setup.worktrees.tidy(THREAD)
    assert state is not None
    assert state.loose
    assert (state.astray, len(state.commits)) == ("no branch", 1)
    with pytest.raises(NotDone, match="is on no branch, not on"):
        await setup.worktrees.merge(THREAD)
    git(folder, "checkout", "--quiet", "-b", "other")
    assert await setup.worktrees.tidy(THREAD) is None
    assert git(setup.repository, "show", "other:loose.py") == "loose"


async def test_a_folder_removed_behind_our_back_comes_back_with_its_branch(setup: WorktreeSetup) -> None:
    await setup.worktrees.prepare(THREAD)
    commit(setup.worktree.folder, "kept.py", "kept\n")
    shutil.rmtree(setup.worktree.path)
    state = await setup.worktrees.state(THREAD)
    assert state is not None
    assert not state.there
    assert len(state.commits) == 1
    await setup.worktrees.prepare(THREAD)
    assert (setup.worktree.folder / "kept.py").exists()
    shutil.rmtree(setup.worktree.path)
    git(setup.repository, "worktree", "prune")
    git(setup.repository, "branch", "-D", setup.worktree.branch)
    await setup.worktrees.prepare(THREAD)
    assert (setup.worktree.folder / "app.py").exists(), "without the branch it begins anew"
    shutil.rmtree(setup.repository)
    with pytest.raises(NotDone, match="no longer exists"):
        await setup.worktrees.state(THREAD)


async def test_a_base_that_is_no_branch_is_told(setup: WorktreeSetup) -> None:
    git(setup.repository, "checkout", "--quiet", "--detach")
    await setup.worktrees.prepare(THREAD)
    commit(setup.worktree.folder, "new.py", "new\n")
    with pytest.raises(NotDone, match="is not a branch"):
        await setup.worktrees.merge(THREAD)


async def test_orphans_are_found_and_left_alone(setup: WorktreeSetup) -> None:
    await setup.worktrees.prepare(THREAD)
    stray = setup.worktrees.home / "12345"
    stray.mkdir()
    assert [orphan.path for orphan in setup.worktrees.orphans()] == [stray]
    setup.store.forget_conversation(THREAD)
    paths = [orphan.path for orphan in setup.opened().orphans()]
    assert paths == [stray, setup.worktree.path]
    assert (setup.worktree.path / "app.py").exists()
