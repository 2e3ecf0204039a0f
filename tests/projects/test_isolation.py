"""An isolated thread, from Discord: Claude works beside the repository, and people decide what becomes of it."""

import asyncio
import logging
from pathlib import Path

import pytest

from sandbox.discord import DiscordChannel
from sandbox.script import Say, Use, script
from tests.fixtures.git_repository import git, repository
from tests.fixtures.house import House, buttons, shown
from tests.fixtures.scripted_house import scripted
from tests.fixtures.workshop import Workshop

SCRIPTS = {
    "write": script([Use("Bash", {"command": "echo made > made.py"})], [Say("Written.")]),
    "hello": script([Say("Hello, you.")]),
}


@pytest.fixture
def house(workshop: Workshop, tmp_path: Path) -> House:
    house = scripted(workshop, tmp_path, SCRIPTS)
    house.project_settings["isolation"] = "worktree"
    repository(house.project)
    return house


async def written(house: House) -> DiscordChannel:
    thread = await house.say("write it")
    await house.ada.click(await house.card(thread, "echo made"), "Allow")
    await house.done(thread)
    return thread


def folder(house: House, thread: DiscordChannel) -> Path:
    return house.state / "worktrees" / str(thread.id)


async def test_work_is_isolated_shown_committed_and_merged(house: House) -> None:
    async with house.bot():
        thread = await written(house)
        assert (folder(house, thread) / "made.py").exists()
        assert not (house.project / "made.py").exists()
        await house.ada.command(thread, "worktree")
        card = await house.card(thread, "claude/write-it")
        assert buttons(card) == ["Commit all", "Discard…"]
        assert "made.py | 1 +" in shown(card)
        await house.ada.click(card, "Commit all")
        await house.becomes(card, "✓ Committed")
        await house.ada.click(card, "Merge")
        await house.becomes(card, "is merged into `main`")
        assert (house.project / "made.py").read_text() == "made\n"

        refused = await house.workshop.eve.click(card, "Discard…")
        await house.workshop.eve.sees(thread, "This is for those who may decide here.")
        assert refused is not None
        await house.ada.click(card, "Discard…")
        await house.becomes(card, "This deletes nothing but the folder itself")
        await house.ada.click(card, "Yes, discard it")
        await house.becomes(card, "and its folder are gone")
        assert not folder(house, thread).exists()
        assert git(house.project, "branch", "--format=%(refname:short)") == "main"


async def test_archiving_asks_about_what_is_not_committed_and_takes_no_for_an_answer(house: House) -> None:
    async with house.bot():
        thread = await written(house)
        await house.ada.archive(thread)
        card = await house.card(thread, "This thread was archived")
        assert buttons(card) == ["Keep it as it is", "Commit, keep the branch", "Discard…"]
        assert thread.thread is not None
        await house.ada.click(card, "Keep it as it is")
        await house.becomes(card, "Kept as it is")
        assert (folder(house, thread) / "made.py").exists()
        before = len(house.ada.messages(thread))
        await house.ada.write(thread, "hello")
        await house.done(thread, 2)
        await house.ada.archive(thread)
        assert len(house.ada.messages(thread)) == before + 2, "it is as it was when somebody said: keep it"


async def test_a_clean_worktree_goes_with_its_thread_and_comes_back_with_a_message(house: House) -> None:
    async with house.bot() as conversations:
        thread = await house.say("hello")
        await house.done(thread)
        assert folder(house, thread).exists()
        await house.ada.archive(thread)
        conversation = await conversations.find(thread.id)
        assert conversation is not None
        await house.ada.write(thread, "hello")
        await house.done(thread, 2)
        assert folder(house, thread).exists()


async def test_a_folder_that_is_no_repository_is_told_in_the_thread(house: House) -> None:
    (house.project / ".git").rename(house.root / "hidden")
    async with house.bot():
        thread = await house.say("hello")
        await house.ada.sees(thread, "is in no git repository", within=20)
        (house.root / "hidden").rename(house.project / ".git")
        await house.ada.write(thread, "hello")
        await house.ada.sees(thread, "Hello, you.", within=20)


async def test_the_worktree_of_a_deleted_thread_is_left_alone_and_listed(
    house: House, caplog: pytest.LogCaptureFixture
) -> None:
    async with house.bot() as conversations:
        thread = await written(house)
        await house.ada.delete_channel(thread)
        async with asyncio.timeout(20):
            while conversations.store.conversation(thread.id):  # noqa: ASYNC110 - the bot hears of it, and we don't
                await asyncio.sleep(0.02)
    with caplog.at_level(logging.WARNING, "bot.app"):
        async with house.bot():
            listed = await house.ada.command(house.channel, "worktree")
    assert f"The worktree {folder(house, thread)} belongs to no thread any more" in caplog.text
    assert f"`{folder(house, thread)}` on `claude/write-it`" in listed.text
    assert (folder(house, thread) / "made.py").exists()
