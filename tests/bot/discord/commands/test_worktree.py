"""Tests isolated threads in Discord: Claude works beside the repository, and people decide about its changes."""

import asyncio
import logging
from pathlib import Path

import pytest

from bot.refusals import MAY_NOT_DECIDE
from sandbox.discord import DiscordChannel
from sandbox.scripts.script import Say, Use, script
from tests.fixtures.bot_setup import BotSetup, buttons, shown
from tests.fixtures.discord_server import DiscordServer
from tests.fixtures.git_repository import git, repository
from tests.fixtures.scripted_setup import scripted

SCRIPTS = {
    "write": script([Use("Bash", {"command": "echo made > made.py"})], [Say("Written.")]),
    "hello": script([Say("Hello, you.")]),
}


@pytest.fixture
def setup(discord_server: DiscordServer, tmp_path: Path) -> BotSetup:
    setup = scripted(discord_server, tmp_path, SCRIPTS)
    setup.project_settings["isolation"] = "worktree"
    repository(setup.project)
    return setup


async def written(setup: BotSetup) -> DiscordChannel:
    thread = await setup.say("write it")
    await setup.ada.click(await setup.card(thread, "echo made"), "Allow")
    await setup.done(thread)
    return thread


def folder(setup: BotSetup, thread: DiscordChannel) -> Path:
    return setup.state / "worktrees" / str(thread.id)


async def test_work_is_isolated_shown_committed_and_merged(setup: BotSetup) -> None:
    async with setup.bot():
        thread = await written(setup)
        assert (folder(setup, thread) / "made.py").exists()
        assert not (setup.project / "made.py").exists()
        await setup.ada.command(thread, "worktree")
        card = await setup.card(thread, "claude/write-it")
        assert buttons(card) == ["Commit all", "Discard…"]
        assert "made.py | 1 +" in shown(card)
        await setup.ada.click(card, "Commit all")
        await setup.becomes(card, "✓ Committed")
        await setup.ada.click(card, "Merge")
        await setup.becomes(card, "into `main`")
        assert (setup.project / "made.py").read_text() == "made\n"

        refused = await setup.discord_server.eve.click(card, "Discard…")
        await setup.discord_server.eve.sees(thread, MAY_NOT_DECIDE)
        assert refused is not None
        await setup.ada.click(card, "Discard…")
        await setup.becomes(card, "This deletes only its folder and the branch")
        await setup.ada.click(card, "Discard")
        await setup.becomes(card, "and its folder.")
        assert not folder(setup, thread).exists()
        assert git(setup.project, "branch", "--format=%(refname:short)") == "main"


async def test_archiving_asks_about_what_is_not_committed_and_takes_no_for_an_answer(setup: BotSetup) -> None:
    async with setup.bot():
        thread = await written(setup)
        await setup.ada.archive(thread)
        card = await setup.card(thread, "This thread was archived")
        assert buttons(card) == ["Keep it", "Commit, keep the branch", "Discard…"]
        assert thread.thread is not None
        await setup.ada.click(card, "Keep it")
        await setup.becomes(card, "Kept as it is")
        assert (folder(setup, thread) / "made.py").exists()
        before = len(setup.ada.messages(thread))
        await setup.ada.write(thread, "hello")
        await setup.done(thread, 2)
        await setup.ada.archive(thread)
        assert len(setup.ada.messages(thread)) == before + 2, "it is as it was when somebody said: keep it"


async def test_a_clean_worktree_goes_with_its_thread_and_comes_back_with_a_message(setup: BotSetup) -> None:
    async with setup.bot() as running:
        thread = await setup.say("hello")
        await setup.done(thread)
        assert folder(setup, thread).exists()
        await setup.ada.archive(thread)
        conversation = await running.conversations.find(thread.id)
        assert conversation is not None
        await setup.ada.write(thread, "hello")
        await setup.done(thread, 2)
        assert folder(setup, thread).exists()


async def test_a_folder_that_is_no_repository_is_told_in_the_thread(setup: BotSetup) -> None:
    (setup.project / ".git").rename(setup.root / "hidden")
    async with setup.bot():
        thread = await setup.say("hello")
        await setup.ada.sees(thread, "is not in a git repository", within=20)
        (setup.root / "hidden").rename(setup.project / ".git")
        await setup.ada.write(thread, "hello")
        await setup.ada.sees(thread, "Hello, you.", within=20)


async def test_the_worktree_of_a_deleted_thread_is_left_alone_and_listed(
    setup: BotSetup, caplog: pytest.LogCaptureFixture
) -> None:
    async with setup.bot() as running:
        thread = await written(setup)
        await setup.ada.delete_channel(thread)
        async with asyncio.timeout(20):
            while running.store.conversation(thread.id):  # noqa: ASYNC110 - only the bot is notified
                await asyncio.sleep(0.02)
    with caplog.at_level(logging.WARNING, "bot.app"):
        async with setup.bot():
            listed = await setup.ada.command(setup.channel, "worktree")
    assert f"The worktree {folder(setup, thread)} no longer belongs to a thread" in caplog.text
    assert f"`{folder(setup, thread)}` on `claude/write-it`" in listed.text
    assert (folder(setup, thread) / "made.py").exists()
