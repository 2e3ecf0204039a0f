"""Tests the panel: it shows every project, stays up to date, and its buttons work."""

from contextlib import AbstractAsyncContextManager
from pathlib import Path
from typing import Any

import pytest

from bot.discord import panel as panel_room
from bot.discord.outgoing.rate_limits import RateLimits, RequestKind
from bot.refusals import MAY_NOT_TALK
from sandbox.discord import DiscordChannel, DiscordMessage
from sandbox.scripts.script import Say, Use, script
from tests.fixtures.bot_setup import BotSetup, buttons, shown
from tests.fixtures.discord_server import DiscordServer
from tests.fixtures.scripted_setup import scripted

SCRIPTS = {
    "ask": script([Use("Bash", {"command": "touch made"})], [Say("Made.")]),
    "hello": script([Say("Hello, you.")]),
}


@pytest.fixture
def setup(discord_server: DiscordServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> BotSetup:
    monkeypatch.setattr(panel_room, "UPDATE_INTERVAL", 0.1)
    return scripted(discord_server, tmp_path, SCRIPTS)


def with_panel(setup: BotSetup, **more: Any) -> DiscordChannel:
    channel = setup.discord.world.add_channel(setup.discord_server.guild, "panel")
    setup.settings |= {"panel": channel.id} | more
    return channel


async def seen(setup: BotSetup, channel: DiscordChannel, *texts: str) -> DiscordMessage:
    return await setup.ada.sees(channel, lambda message: all(text in shown(message) for text in texts), within=20)


async def test_the_panel_follows_what_goes_on(setup: BotSetup) -> None:
    channel = with_panel(setup)
    async with setup.bot():
        card = await seen(setup, channel, "**demo** · 💤 asleep · 0 threads")
        assert buttons(card) == ["Start", "Open"], "there is nothing to stop"
        thread = await setup.say("ask me")
        request = await setup.card(thread, "touch made")
        assert await seen(setup, channel, "⏸️ 1 waiting for you · 1 thread", f"<#{thread.id}> · Bash") is card
        told = await setup.ada.command(thread, "sessions")
        assert f"<#{thread.id}> · Bash" in told.text
        await setup.ada.click(request, "Allow")
        await setup.done(thread)
        assert await seen(setup, channel, "💤 1 idle · 1 thread · under $0.01 today") is card
        await setup.ada.click(card, "Open")
        await setup.ada.sees(channel, f"<#{thread.id}>")
        await setup.ada.click(card, "Stop")
        await setup.ada.sees(channel, "Claude's process was ended.")
        await seen(setup, channel, "💤 asleep · 1 thread")
    assert "The bot was stopped" in shown(card)
    assert buttons(card) == []
    async with setup.bot():
        await seen(setup, channel, "💤 asleep · 1 thread")
        assert len([each for each in setup.ada.messages(channel) if "**demo**" in shown(each) and buttons(each)]) == 1


async def test_start_has_claude_ready_and_kill_ends_it(setup: BotSetup) -> None:
    channel = with_panel(setup)
    async with setup.bot() as running:
        card = await seen(setup, channel, "**demo**")
        await setup.ada.click(card, "Start")
        await setup.ada.sees(channel, "Claude is ready in ")
        thread = await setup.ada.sees_thread(setup.channel, "demo")
        await seen(setup, channel, "💤 1 idle")
        offered = await setup.ada.autocomplete(setup.channel, "kill", "session", "demo")
        assert list(offered.choices)
        await setup.ada.command(setup.channel, "kill", session=str(thread.id))
        await seen(setup, channel, "**demo** · 💤 asleep")
        conversation = running.conversations.known(thread.id)
        assert conversation is not None
        assert conversation.status().process is None
        told = await setup.ada.command(setup.channel, "kill", session="not a number")
        assert "No such session is running" in told.text


async def test_the_panel_keeps_the_rate_limits_together_with_the_threads(
    setup: BotSetup, monkeypatch: pytest.MonkeyPatch
) -> None:
    used: dict[int, set[int]] = {}
    request = RateLimits.request

    def counted(self: RateLimits, kind: RequestKind, channel: int) -> AbstractAsyncContextManager[None]:
        used.setdefault(id(self), set()).add(channel)
        return request(self, kind, channel)

    monkeypatch.setattr(RateLimits, "request", counted)
    channel = with_panel(setup)
    async with setup.bot():
        await seen(setup, channel, "**demo**")
        thread = await setup.say("hello")
        await setup.done(thread)
        await seen(setup, channel, "1 idle")
    assert len(used) == 1, "all channels share one"
    assert {channel.id, thread.id} <= used.popitem()[1]


async def test_a_stranger_can_press_nothing(setup: BotSetup) -> None:
    channel = with_panel(setup)
    async with setup.bot() as running:
        card = await seen(setup, channel, "**demo**")
        await setup.discord_server.eve.click(card, "Start")
        await setup.discord_server.eve.sees(channel, MAY_NOT_TALK)
        await setup.discord_server.eve.forge(card, "panel:start:no such project")
        await setup.discord_server.eve.sees(channel, "This project is no longer configured.")
        assert running.conversations.awake() == []


async def test_a_project_and_a_thread_can_be_started_with_the_bot(setup: BotSetup) -> None:
    channel = with_panel(setup)
    async with setup.bot():
        thread = await setup.say("hello")
        await setup.done(thread)
        other = await setup.say("hello again")
        await setup.done(other)
        await setup.ada.command(thread, "settings", setting="startup", value="yes")
    async with setup.bot():
        await seen(setup, channel, "💤 1 idle · 2 threads")
    setup.project_settings["startup"] = True
    async with setup.bot():
        await seen(setup, channel, "💤 2 idle · 2 threads")


async def test_a_panel_that_is_given_another_channel_moves(setup: BotSetup) -> None:
    channel = with_panel(setup)
    other = setup.discord.world.add_channel(setup.discord_server.guild, "other")
    async with setup.bot() as running:
        card = await seen(setup, channel, "**demo**")
        running.projects.take_over(running.projects.settings.model_copy(update={"panel": other.id}))
        await seen(setup, other, "**demo**")
        await setup.ada.sees_gone(card)
        running.projects.refused = "claude-discord.toml needs correcting:\n  line 3: people: this is wrong; mend it"
        await seen(setup, other, "The changed configuration can't be used: line 3: people: this is wrong; mend it")
