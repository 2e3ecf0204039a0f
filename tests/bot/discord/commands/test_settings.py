"""Tests /settings: who can see and change projects and their settings from Discord."""

from pathlib import Path

import psutil
import pytest

from bot.refusals import MAY_NOT_DECIDE, MAY_NOT_TALK, OWNERS_ONLY
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


async def test_settings_tell_each_value_with_its_layer(setup: BotSetup) -> None:
    setup.project_settings |= {"model": "opus", "threads": {"effort": "high"}, "environment": {"SECRET": "hidden"}}
    async with setup.bot():
        thread = await setup.say("hello")
        await setup.done(thread)
        shown = await setup.ada.command(thread, "settings")
        assert "`model` **opus** · the project\n" in shown.text
        assert "`effort` **high** · the project's threads\n" in shown.text
        assert "`environment` **`SECRET`** · the project\n" in shown.text
        assert "hidden" not in shown.text
        assert f"`talk` <@&{setup.discord_server.developers.id}> · `[people]`" in shown.text
        assert "so Claude decides: `permission_mode`" in shown.text
        assert shown.ephemeral

        told = await setup.ada.command(thread, "settings", setting="model", value="haiku")
        assert told.text == "`model` for this thread: **haiku**"
        told = await setup.ada.command(thread, "settings", setting="effort", value="max", **{"for": "project"})
        assert told.text == "`effort` for the project: **max**"
        shown = await setup.ada.command(thread, "settings")
        assert "`model` **haiku** · this thread\n" in shown.text
        assert "`effort` **high** · the project's threads\n" in shown.text
        await setup.ada.command(thread, "settings", setting="model")
        assert "`model` **opus** · the project\n" in (await setup.ada.command(thread, "settings")).text
    async with setup.bot():
        await setup.ada.command(setup.channel, "settings", setting="effort", **{"for": "threads"})
        shown = await setup.ada.command(setup.channel, "settings")
        assert "`effort` **high** · the project's threads\n" in shown.text, "the file's own can't be taken back here"


IMPOSSIBLE = [
    ("effort", "huge", "effort: 'huge' is not possible here; choose 'low'"),
    ("permission_mode", "bypassPermissions", "Claude would act without asking anyone."),
    ("folder", "/", "/ is not inside"),
    ("extra_folders", "missing", "there is no folder"),
    ("environment", "DISCORD_TOKEN=x", "DISCORD_TOKEN is reserved for the bot"),
    ("environment", "no equals", "Type NAME=value"),
    ("talk", "everyone", "Mention people or roles"),
    ("startup", "perhaps", "Type yes or no."),
]


async def test_what_can_not_be_is_told_and_changes_nothing(setup: BotSetup) -> None:
    async with setup.bot() as running:
        before = running.projects.settings
        for setting, value, told in IMPOSSIBLE:
            answer = await setup.ada.command(setup.channel, "settings", setting=setting, value=value)
            assert told in answer.text
            assert answer.ephemeral
        assert running.projects.settings.projects == before.projects


async def test_a_change_counts_from_the_next_message_on(setup: BotSetup) -> None:
    async with setup.bot() as running:
        thread = await setup.say("hello")
        await setup.done(thread)
        conversation = running.conversations.known(thread.id)
        assert conversation is not None
        assert conversation.status().process is not None
        first = conversation.status().process
        await setup.ada.command(thread, "settings", setting="environment", value="COLOUR=green")
        await setup.ada.write(thread, "hello")
        await setup.done(thread, 2)
        assert conversation.status().process is not None
        assert conversation.status().process != first
        assert psutil.Process(conversation.status().process).environ()["COLOUR"] == "green"
        second = conversation.status().process
        await setup.ada.command(setup.channel, "settings", setting="environment", value="COLOUR=blue")
        await setup.ada.write(thread, "hello")
        await setup.done(thread, 3)
        assert conversation.status().process == second, "the thread's own still wins: there was nothing to change"


async def test_each_setting_needs_its_right(setup: BotSetup) -> None:
    guest_, id_ = guest(setup, "gus")
    developers = {"roles": [setup.discord_server.developers.id]}
    setup.project_settings |= {"talk": developers | {"users": [id_]}}
    async with setup.bot() as running:
        thread = await setup.say("hello")
        await setup.done(thread)
        told = await guest_.command(thread, "settings", setting="model", value="haiku")
        assert told.text == "`model` for this thread: **haiku**"
        for setting, value in [("permission_mode", "acceptEdits"), ("allowed_tools", "Bash"), ("folder", ".")]:
            told = await guest_.command(thread, "settings", setting=setting, value=value)
            assert MAY_NOT_DECIDE in told.text
        for setting, value in [("decide", f"<@{id_}>"), ("environment", "A=b")]:
            told = await guest_.command(thread, "settings", setting=setting, value=value)
            assert OWNERS_ONLY in told.text
        told = await guest_.command(thread, "settings", setting="model", value="opus", **{"for": "project"})
        assert OWNERS_ONLY in told.text
        told = await setup.ada.command(thread, "settings", setting="decide", value=f"<@{id_}>")
        assert told.text == f"`decide` for this thread: **<@{id_}>**"
        project = running.projects.in_thread(thread.id)
        assert project is not None
        assert project.decide.users == {id_}
        await setup.ada.command(thread, "settings", setting="talk", value=f"<@{id_}>")
        assert MAY_NOT_TALK in (await setup.ada.command(thread, "status")).text
        told = await setup.ada.command(thread, "settings", setting="talk")
        assert told.text == "`talk` for this thread: **nothing**", "an owner can't be locked out"


async def test_where_a_second_person_is_needed_no_decider_allows_tools_alone(setup: BotSetup) -> None:
    decider, number = guest(setup, "bob")
    ada = setup.ada.user.id
    setup.settings |= {"owners": {"users": [ada]}}
    setup.project_settings |= {"decide": {"users": [ada, number]}, "talk": {"users": [ada, number]}}
    setup.project_settings |= {"decisions": {"second_person": True}}
    async with setup.bot() as running:
        thread = await setup.say("hello")
        told = await decider.command(thread, "settings", setting="allowed_tools", value="Bash")
        assert OWNERS_ONLY in told.text
        project = running.projects.in_thread(thread.id)
        assert project is not None
        assert project.allowed_tools is None
        told = await setup.ada.command(thread, "settings", setting="allowed_tools", value="Read")
        assert "**`Read`**" in told.text


async def test_who_changed_what_is_on_the_record(setup: BotSetup) -> None:
    second = setup.discord.world.add_channel(setup.discord_server.guild, "second")
    by = setup.ada.user.id
    async with setup.bot() as running:
        thread = await setup.say("hello")
        await setup.done(thread)
        await setup.ada.command(thread, "mode", mode="acceptEdits")
        await setup.ada.command(thread, "mode", mode="bypassPermissions")
        await setup.ada.command(thread, "settings", setting="environment", value="API_KEY=very-secret")
        await setup.ada.command(thread, "settings", setting="model", value="opus", **{"for": "project"})
        await setup.ada.command(second, "project add", folder="site")
        await setup.ada.command(second, "project remove", name="site")
        entries = [kept.entry for kept in reversed(running.store.audit("demo", 10))]
        assert [(entry.tool, entry.note, entry.by) for entry in entries] == [
            ("permission_mode", "acceptEdits for this thread", by),
            ("environment", "`API_KEY` for this thread", by),
            ("model", "opus for the project", by),
        ], "a refused change is none, and of a variable only the name is kept"
        kept = [(one.entry.outcome, one.entry.by) for one in reversed(running.store.audit("site", 10))]
        assert kept == [("added", by), ("removed", by)]
        assert running.store.check_audit().fault is None
        told = await setup.ada.command(thread, "audit")
        assert "model\n-# changed by" in told.text
