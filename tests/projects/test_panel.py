"""The panel: every project in one place, up to date by itself, with what can be done about it."""

from contextlib import AbstractAsyncContextManager
from pathlib import Path
from typing import Any

import pytest

from bot.config import People
from bot.conversations.overview import midnight
from bot.discord import panel as panel_room
from bot.discord.outgoing.rate_limits import RateLimits, RequestKind
from bot.render.replies.panel import Live, ProjectSummary, panel
from sandbox.discord import DiscordChannel, DiscordMessage
from sandbox.script import Say, Use, script
from tests.fixtures.house import House, buttons, shown
from tests.fixtures.message_limits import broken
from tests.fixtures.scripted_house import scripted
from tests.fixtures.workshop import Workshop

SCRIPTS = {
    "ask": script([Use("Bash", {"command": "touch made"})], [Say("Made.")]),
    "hello": script([Say("Hello, you.")]),
}


@pytest.fixture
def house(workshop: Workshop, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> House:
    monkeypatch.setattr(panel_room, "PACE", 0.1)
    return scripted(workshop, tmp_path, SCRIPTS)


def with_panel(house: House, **more: Any) -> DiscordChannel:
    channel = house.discord.world.add_channel(house.workshop.guild, "panel")
    house.settings |= {"panel": channel.id} | more
    return channel


async def seen(house: House, channel: DiscordChannel, *texts: str) -> DiscordMessage:
    return await house.ada.sees(channel, lambda message: all(text in shown(message) for text in texts), within=20)


async def test_the_panel_follows_what_goes_on(house: House) -> None:
    channel = with_panel(house)
    async with house.bot():
        card = await seen(house, channel, "**demo** · 💤 asleep · 0 threads")
        assert buttons(card) == ["Start", "Open"], "there is nothing to stop"
        thread = await house.say("ask me")
        request = await house.card(thread, "touch made")
        assert await seen(house, channel, "⏸️ 1 waiting for you · 1 thread", f"<#{thread.id}> · Bash") is card
        told = await house.ada.command(thread, "sessions")
        assert f"<#{thread.id}> · Bash" in told.text
        await house.ada.click(request, "Allow")
        await house.done(thread)
        assert await seen(house, channel, "💤 1 idle · 1 thread · under $0.01 today") is card
        await house.ada.click(card, "Open")
        await house.ada.sees(channel, f"<#{thread.id}>")
        await house.ada.click(card, "Stop")
        await house.ada.sees(channel, "Claude's process is ended.")
        await seen(house, channel, "💤 asleep · 1 thread")
    assert "The bot was stopped" in shown(card)
    assert buttons(card) == []
    async with house.bot():
        await seen(house, channel, "💤 asleep · 1 thread")
        assert len([each for each in house.ada.messages(channel) if "**demo**" in shown(each) and buttons(each)]) == 1


async def test_start_has_claude_ready_and_kill_ends_it(house: House) -> None:
    channel = with_panel(house)
    async with house.bot() as conversations:
        card = await seen(house, channel, "**demo**")
        await house.ada.click(card, "Start")
        await house.ada.sees(channel, "Claude is ready in ")
        thread = await house.ada.sees_thread(house.channel, "demo")
        await seen(house, channel, "💤 1 idle")
        offered = await house.ada.autocomplete(house.channel, "kill", "session", "demo")
        assert list(offered.choices)
        await house.ada.command(house.channel, "kill", session=str(thread.id))
        await seen(house, channel, "**demo** · 💤 asleep")
        conversation = conversations.known(thread.id)
        assert conversation is not None
        assert conversation.status().process is None
        told = await house.ada.command(house.channel, "kill", session="not a number")
        assert "Nothing of that name is running" in told.text


async def test_the_panel_keeps_the_rate_limits_together_with_the_threads(
    house: House, monkeypatch: pytest.MonkeyPatch
) -> None:
    used: dict[int, set[int]] = {}
    request = RateLimits.request

    def counted(self: RateLimits, kind: RequestKind, channel: int) -> AbstractAsyncContextManager[None]:
        used.setdefault(id(self), set()).add(channel)
        return request(self, kind, channel)

    monkeypatch.setattr(RateLimits, "request", counted)
    channel = with_panel(house)
    async with house.bot():
        await seen(house, channel, "**demo**")
        thread = await house.say("hello")
        await house.done(thread)
        await seen(house, channel, "1 idle")
    assert len(used) == 1, "all channels share one"
    assert {channel.id, thread.id} <= used.popitem()[1]


async def test_a_stranger_can_press_nothing(house: House) -> None:
    channel = with_panel(house)
    async with house.bot() as conversations:
        card = await seen(house, channel, "**demo**")
        await house.workshop.eve.click(card, "Start")
        await house.workshop.eve.sees(channel, "You are not among those who may talk to Claude in this project.")
        await house.workshop.eve.forge(card, "panel:start:no such project")
        await house.workshop.eve.sees(channel, "This project is not configured any more.")
        assert conversations.awake() == []


async def test_a_project_and_a_thread_can_be_started_with_the_bot(house: House) -> None:
    channel = with_panel(house)
    async with house.bot():
        thread = await house.say("hello")
        await house.done(thread)
        other = await house.say("hello again")
        await house.done(other)
        await house.ada.command(thread, "settings", setting="startup", value="yes")
    async with house.bot():
        await seen(house, channel, "💤 1 idle · 2 threads")
    house.project_settings["startup"] = True
    async with house.bot():
        await seen(house, channel, "💤 2 idle · 2 threads")


async def test_a_panel_that_is_given_another_channel_moves(house: House) -> None:
    channel = with_panel(house)
    other = house.discord.world.add_channel(house.workshop.guild, "other")
    async with house.bot() as conversations:
        card = await seen(house, channel, "**demo**")
        conversations.projects.take_over(conversations.settings.model_copy(update={"panel": other.id}))
        await seen(house, other, "**demo**")
        await house.ada.sees_gone(card)
        conversations.projects.refused = (
            "claude-discord.toml needs correcting:\n  line 3: people: this is wrong; mend it"
        )
        await seen(house, other, "The changed configuration is not in force: line 3: people: this is wrong; mend it")


def test_many_projects_fit_discords_limits() -> None:
    live = tuple(Live(2**62 + n, "x" * 80, "waiting", ("mcp__a_server__a_tool" * 5,) * 9, 1e9, 99) for n in range(30))
    rows = [ProjectSummary(f"{n}".rjust(80, "W"), People(), tuple(range(9)), 10**6, 1e6, live) for n in range(40)]
    messages = panel(rows, ["a note " * 400] * 9)
    assert [message.key for message in messages] == [f"panel-{n}" for n in range(6)]
    for message in messages:
        assert broken(message) == []
    assert panel([])[0].components


def test_a_day_begins_at_midnight() -> None:
    assert 0 <= 1_790_000_000 - midnight(1_790_000_000) < 25 * 3600
