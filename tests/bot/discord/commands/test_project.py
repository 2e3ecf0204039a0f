"""Tests /project: who can add, list and remove projects from Discord."""

from pathlib import Path

import pytest

from bot.refusals import NO_PROJECT, OWNERS_ONLY
from sandbox.discord import DiscordPerson
from sandbox.scripts.script import Say, script
from tests.fixtures.bot_setup import BotSetup
from tests.fixtures.discord_server import DiscordServer
from tests.fixtures.scripted_setup import scripted

SCRIPTS = {"hello": script([Say("Hello, you.")])}


def guest(setup: BotSetup, name: str) -> tuple[DiscordPerson, int]:
    """Add a person without roles; also return their id."""
    member = setup.discord.world.add_member(setup.discord_server.guild, name)
    return setup.discord.person(member), member.user.id


@pytest.fixture
def setup(discord_server: DiscordServer, tmp_path: Path) -> BotSetup:
    (tmp_path / "code" / "site").mkdir(parents=True)
    return scripted(discord_server, tmp_path, SCRIPTS, roots=["code"])


async def test_a_project_is_added_listed_used_and_removed(setup: BotSetup) -> None:
    world = setup.discord.world
    second = world.add_channel(setup.discord_server.guild, "second")
    async with setup.bot():
        offered = await setup.ada.autocomplete(second, "project add", "folder", "si")
        assert list(offered.choices) == [str(setup.root / "code" / "site")]
        told = await setup.ada.command(second, "project add", folder="site")
        assert f"Write in <#{second.id}> to start." in told.text
        message = await setup.ada.write(second, "hello")
        await setup.ada.sees(second, lambda seen: seen is message and seen.thread is not None, within=20)
        assert message.thread is not None
        await setup.ada.sees(message.thread, "Hello, you.", within=20)
    async with setup.bot():
        listed = await setup.ada.command(second, "project list")
        assert "**demo**" in listed.text
        assert f"<#{second.id}> · added here" in listed.text
        told = await setup.ada.command(setup.channel, "project remove", name="demo")
        assert "is in the configuration file" in told.text
        told = await setup.ada.command(setup.channel, "project remove", name="site")
        assert "is no longer a project" in told.text
        told = await setup.ada.command(second, "status")
        assert NO_PROJECT in told.text
    assert (setup.root / "code" / "site").is_dir()


async def test_only_owners_add_projects_and_only_under_the_roots(setup: BotSetup) -> None:
    guest_, id_ = guest(setup, "gus")
    setup.settings |= {"owners": {"users": [setup.ada.user.id]}}
    setup.project_settings |= {"talk": {"users": [id_, setup.ada.user.id]}}
    second = setup.discord.world.add_channel(setup.discord_server.guild, "second")
    (setup.root / "code" / "out").symlink_to(setup.root)
    async with setup.bot() as running:
        told = await guest_.command(setup.channel, "project add", folder="site")
        assert OWNERS_ONLY in told.text
        assert not (await guest_.autocomplete(setup.channel, "project add", "folder", "")).choices
        told = await guest_.command(second, "project add", folder="site")
        assert NO_PROJECT in told.text
        assert not (await guest_.autocomplete(setup.channel, "project remove", "name", "")).choices
        before = len(setup.discord.requests)
        await guest_.write(second, "somebody else's talk")
        await setup.ada.command(second, "project list")
        asked = [each.template for each in setup.discord.requests[before:] if each.method == "GET"]
        assert asked == [], "Discord is not asked about channels that it told of"
        for folder in (str(setup.root), "..", "out", "missing"):
            told = await setup.ada.command(second, "project add", folder=folder)
            assert "is not under the configured roots" in told.text or "There is no folder" in told.text
        told = await setup.ada.command(setup.channel, "project add", folder="site")
        assert "I can't create a channel" in told.text
        assert set(running.projects.settings.projects) == {"demo"}


async def test_a_root_that_is_gone_hides_no_folder_of_the_others(discord_server: DiscordServer, tmp_path: Path) -> None:
    (tmp_path / "code" / "site").mkdir(parents=True)
    (tmp_path / "disk").mkdir()
    setup = scripted(discord_server, tmp_path, SCRIPTS, roots=["disk", "code"])
    async with setup.bot():
        (tmp_path / "disk").rmdir()
        offered = await setup.ada.autocomplete(setup.channel, "project add", "folder", "")
        assert list(offered.choices) == [str(tmp_path / "code" / "site")]
