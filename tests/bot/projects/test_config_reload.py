"""Tests changing the file while the bot runs: it applies immediately, or is refused and nothing changes."""

import asyncio
import json
import logging
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import replace
from pathlib import Path

import pytest

from bot import config
from bot.app import RunningBot, serving
from bot.discord import config_change_card
from bot.projects import config_reload
from bot.refusals import OWNERS_ONLY
from sandbox.discord import DiscordMessage, DiscordPerson
from sandbox.scripts.script import Say, script
from tests.fixtures.bot_setup import BotSetup, buttons, shown
from tests.fixtures.discord_server import DiscordServer
from tests.fixtures.scripted_setup import custom_ids, scripted, write_config

SCRIPTS = {"hello": script([Say("Hello, you.")])}


@asynccontextmanager
async def bot(setup: BotSetup, file: Path) -> AsyncIterator[RunningBot]:
    start = replace(setup.start(), settings=config.load(file), file=file)
    async with serving(start) as running:
        yield running


async def becomes(seen: Callable[[], bool]) -> None:
    """Poll for something that sends no event: the bot checks the file from time to time, and so do we."""
    async with asyncio.timeout(20):
        while not seen():  # noqa: ASYNC110
            await asyncio.sleep(0.02)


@pytest.fixture
def setup(discord_server: DiscordServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> BotSetup:
    monkeypatch.setattr(config_reload, "PACE", 0.05)
    monkeypatch.setattr(config_change_card, "CHECK_INTERVAL", 0.05)
    return scripted(discord_server, tmp_path, SCRIPTS)


def waiting(text: str) -> Callable[[DiscordMessage], bool]:
    """Find the card that asks an owner about this."""
    return lambda message: text in shown(message) and "Keep current settings" in buttons(message)


def with_owner(setup: BotSetup, file: Path) -> DiscordPerson:
    """Add an owner who is not among those who may talk and decide."""
    owner = setup.discord.world.add_member(setup.discord_server.guild, "olga")
    file.write_text(file.read_text().replace("[claude]", f"[owners]\nusers = [{owner.user.id}]\n[claude]"))
    return setup.discord.person(owner)


LOOSENED = "channels", "allowed_tools = ['Bash']\nchannels"


async def test_what_only_tightens_counts_without_a_restart_and_a_new_project_when_an_owner_says_so(
    setup: BotSetup,
) -> None:
    second = setup.discord.world.add_channel(setup.discord_server.guild, "second")
    other = setup.root / "other"
    other.mkdir()
    file = write_config(setup.root / "claude-discord.toml", setup)
    text = file.read_text()
    async with bot(setup, file) as running:
        thread = await setup.say("hello")
        await setup.done(thread)
        more = f"[projects.other]\nfolder = {json.dumps(str(other))}\nchannels = [{second.id}]\n"
        file.write_text(text + more)
        card = await setup.ada.sees(setup.channel, waiting("projects.other.folder"), within=20)
        await setup.ada.click(card, "Approve")
        await becomes(lambda: "other" in running.projects.settings.projects)
        message = await setup.ada.write(second, "hello")
        await setup.ada.sees(second, lambda seen: seen is message and seen.thread is not None)
        assert message.thread is not None
        await setup.ada.sees(message.thread, "Hello, you.")

        file.write_text(text.replace("[projects.demo]", "[projects.demo]\npermission_mode = 'plan'\nmodel = 'opus'"))
        await becomes(lambda: running.projects.settings.projects.keys() == {"demo"})
        await becomes(lambda: all(each.status().project.name == "demo" for each in running.conversations.awake()))
        conversation = await running.conversations.find(thread.id)
        assert conversation is not None
        assert conversation.status().project.permission_mode == "plan"
        assert conversation.status().project.model == "opus"


async def test_a_change_that_loosens_waits_for_an_owner_in_force_now(setup: BotSetup) -> None:
    file = write_config(setup.root / "claude-discord.toml", setup)
    owner = with_owner(setup, file)
    right = file.read_text()
    by = setup.ada.user.id
    async with bot(setup, file) as running:
        file.write_text(right.replace(*LOOSENED).replace(str(owner.user.id), f"{owner.user.id}, {by}"))
        card = await setup.ada.sees(
            setup.channel, waiting('projects.demo.allowed_tools`: `nothing` → `["Bash"]'), within=20
        )
        assert f"[{owner.user.id}]` → `[" in shown(card), "everything that would change stands there"
        assert running.projects.settings.projects["demo"].allowed_tools is None
        await setup.ada.click(card, "Approve")
        await setup.ada.sees(setup.channel, OWNERS_ONLY)
        await setup.ada.click(card, "Keep current settings")
        assert running.projects.settings.owners.users == {owner.user.id}
        assert "Approve" in buttons(card), "somebody who only calls themself an owner changes nothing"
        thread = await setup.say("hello")
        await setup.ada.sees(thread, "Hello, you.")

        await owner.click(card, "Approve")
        await becomes(lambda: running.projects.settings.projects["demo"].allowed_tools == ("Bash",))
        await setup.becomes(card, f"<@{owner.user.id}> approved it.")
        assert buttons(card) == []
        assert running.projects.settings.owners.users == {owner.user.id, by}
        (entry,) = [kept.entry for kept in running.store.audit("demo", 10)]
        assert (entry.tool, entry.outcome, entry.source, entry.by) == (
            "allowed_tools",
            "changed",
            "button",
            owner.user.id,
        )
        assert 'nothing → ["Bash"]' in entry.note


async def test_a_change_of_which_only_a_part_loosens_waits_as_a_whole(setup: BotSetup) -> None:
    file = write_config(setup.root / "claude-discord.toml", setup)
    text = file.read_text().replace("[projects.demo]", "[projects.demo]\nextra_folders = ['claude']")
    (setup.root / "claude").mkdir()
    file.write_text(text)
    async with bot(setup, file) as running:
        file.write_text(text.replace("extra_folders = ['claude']", "model = 'opus'").replace(*LOOSENED))
        card = await setup.ada.sees(setup.channel, waiting("allowed_tools"), within=20)
        demo = running.projects.settings.projects["demo"]
        assert (demo.extra_folders, demo.model, demo.allowed_tools) == ((setup.root / "claude",), None, None)
        await setup.ada.click(card, "Keep current settings")
        await setup.becomes(card, f"<@{setup.ada.user.id}> kept the current settings.")
        assert running.projects.settings.projects["demo"] == demo
        file.write_text(text.replace("extra_folders = ['claude']", "model = 'opus'"))
        await becomes(lambda: running.projects.settings.projects["demo"].model == "opus")
        assert running.projects.settings.projects["demo"].extra_folders is None


async def test_a_button_for_an_older_state_of_the_file_does_nothing(setup: BotSetup) -> None:
    file = write_config(setup.root / "claude-discord.toml", setup)
    right = file.read_text()
    async with bot(setup, file) as running:
        file.write_text(right.replace(*LOOSENED))
        card = await setup.ada.sees(setup.channel, waiting("allowed_tools"), within=20)
        old = custom_ids(card)
        file.write_text(right.replace("channels", "extra_args = ['--verbose']\nchannels"))
        fresh = await setup.ada.sees(setup.channel, waiting("extra_args"), within=20)
        assert not set(old) & set(custom_ids(fresh))
        answer = await setup.ada.forge(fresh, old[0])
        await setup.ada.sees(setup.channel, config_reload.CHANGED_SINCE)
        assert not answer.failed
        file.write_text(right)
        await becomes(lambda: running.projects.pending is None)
        await setup.becomes(fresh, "the file has changed again")
        assert running.projects.settings.projects["demo"] == config.load(file).projects["demo"]


async def test_what_can_not_be_shown_is_not_agreed_to_in_discord(setup: BotSetup) -> None:
    file = write_config(setup.root / "claude-discord.toml", setup)
    text = file.read_text()
    async with bot(setup, file) as running:
        file.write_text(text.replace("channels", "environment = { NODE_OPTIONS = '--import=evil' }\nchannels"))
        card = await setup.ada.sees(setup.channel, waiting("environment.NODE_OPTIONS"), within=20)
        assert "evil" not in shown(card)
        assert buttons(card) == ["Keep current settings"]
        assert not (await setup.ada.forge(card, custom_ids(card)[0])).failed
        await setup.ada.sees(setup.channel, "`claude-discord reload` in a terminal")
        assert running.projects.settings.projects["demo"].environment is None


async def test_a_change_that_puts_the_file_within_claudes_reach_is_refused(setup: BotSetup) -> None:
    file = write_config(setup.root / "claude-discord.toml", setup)
    text = file.read_text()
    (setup.root / "link").symlink_to(setup.root)
    async with bot(setup, file) as running:
        for wrong in ("folder = '.'", f"folder = {json.dumps(str(setup.root / 'link'))}"):
            file.write_text(text.replace(f"folder = {json.dumps(str(setup.project))}", wrong))
            await becomes(lambda: "where Claude could rewrite it" in running.projects.refused)
            assert running.projects.pending is None
            assert running.projects.settings.projects["demo"].folder == setup.project
            file.write_text(text)
            await becomes(lambda: not running.projects.refused)


async def test_a_file_with_mistakes_is_refused_and_the_old_one_stays(
    setup: BotSetup, caplog: pytest.LogCaptureFixture
) -> None:
    file = write_config(setup.root / "claude-discord.toml", setup)
    right = file.read_text()
    async with bot(setup, file) as running:
        with caplog.at_level(logging.WARNING, "bot.projects.config_reload"):
            file.write_text(right.replace("channels", "chanels"))
            await becomes(lambda: bool(running.projects.refused))
        assert "did you mean channels?" in caplog.text
        (told,) = running.projects.refused.splitlines()[1:]
        assert told.startswith("  line 9: projects.demo.chanels: ")
        thread = await setup.say("hello")
        await setup.ada.sees(thread, "Hello, you.")
        file.write_text(right)
        await becomes(lambda: not running.projects.refused)
