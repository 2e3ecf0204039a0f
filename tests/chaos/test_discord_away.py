"""Tests a Discord that is down: messages are sent later, in order and once, and people's messages are read."""

import asyncio
import logging
import math
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from bot.conversations import tool_approval
from bot.discord import backoff
from sandbox.discord import DiscordChannel, TimeLimits
from sandbox.discord.rest.faults import DroppedConnection, ErrorAnswer
from sandbox.discord.state import threads
from sandbox.discord.state.entities import Permission
from sandbox.scripts.script import Say, Use, script
from tests.fixtures.bot_setup import BotSetup, buttons, shown
from tests.fixtures.discord_server import DiscordServer
from tests.fixtures.scripted_setup import add_moderator, command, scripted, write_config

MESSAGES = "/channels/{channel_id}/messages*"
LONG = "\n\n".join(f"⟪{number}⟫ {'words and words ' * 40}" for number in range(9))
SCRIPTS = {
    "long": script([Say(LONG, pace=0.001)]),
    "hello": script([Say("Hello, I am here.")]),
    "ask": script([Say("May I?"), Use("Bash", {"command": "touch made.txt"})], [Say("All done.")]),
}


@pytest.fixture
def time_limits() -> TimeLimits:
    return TimeLimits(speed=math.inf, patience=2.0)


@pytest.fixture
async def setup(
    discord_server: DiscordServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> AsyncIterator[BotSetup]:
    monkeypatch.setattr(backoff, "FIRST_PAUSE", 0.05)
    setup = scripted(discord_server, tmp_path, SCRIPTS)
    async with setup.bot():
        yield setup


async def refused(setup: BotSetup, status: int = 403) -> None:
    """Wait until Discord has refused a request."""
    async with asyncio.timeout(20):
        while all(request.status != status for request in setup.discord.requests):  # noqa: ASYNC110 - there is no event
            await asyncio.sleep(0.05)


def journals(setup: BotSetup) -> str:
    return "".join(path.read_text(encoding="utf-8") for path in setup.state.glob("runs/*/journal.jsonl"))


def whole_and_once(setup: BotSetup, thread: DiscordChannel) -> None:
    text = setup.text(thread)
    places = [text.index(f"⟪{number}⟫") for number in range(9)]
    assert places == sorted(places)
    assert [text.count(f"⟪{number}⟫") for number in range(9)] == [1] * 9


@pytest.mark.parametrize(
    "fault",
    [
        ErrorAnswer(500),
        ErrorAnswer(502, after=True),
        DroppedConnection(),
        DroppedConnection(after=True),
        ErrorAnswer(429, retry_after=0.3),
    ],
)
async def test_a_long_answer_stands_whole_and_once_through(
    setup: BotSetup, fault: ErrorAnswer | DroppedConnection
) -> None:
    setup.discord.faults.plan(fault, MESSAGES, times=2)
    thread = await setup.say("long")
    await setup.done(thread)
    whole_and_once(setup, thread)


async def test_a_limit_that_is_longer_than_hikari_waits_is_waited_out(setup: BotSetup) -> None:
    setup.discord.faults.plan(ErrorAnswer(429, retry_after=400.0), MESSAGES, method="POST", times=1)
    thread = await setup.say("long")
    await setup.done(thread)
    whole_and_once(setup, thread)


@pytest.mark.parametrize("trouble", ["drop", "ask_to_reconnect", "invalidate"])
async def test_what_is_written_while_the_connection_is_broken_is_heard(setup: BotSetup, trouble: str) -> None:
    thread = await setup.say("hello")
    await setup.done(thread)
    before = setup.discord.gateway.identifies
    getattr(setup.discord.gateway, trouble)()
    await setup.ada.write(thread, "long")
    await setup.done(thread, 2)
    whole_and_once(setup, thread)
    assert setup.discord.gateway.identifies <= before + 1


async def test_a_click_whose_answer_gets_lost_still_decides_and_the_card_says_so(setup: BotSetup) -> None:
    thread = await setup.say("ask")
    card = await setup.card(thread, "touch made.txt")
    setup.discord.faults.plan(ErrorAnswer(404), "/interactions/*", times=1)
    answer = await setup.ada.click(card, "Allow")
    assert answer.failed
    await setup.ada.sees(thread, "All done.")
    await setup.becomes(card, "Allowed")
    assert buttons(card) == []
    assert (setup.project / "made.txt").exists()


async def test_a_text_that_a_moderator_deletes_stays_deleted_and_the_rest_goes_on(setup: BotSetup) -> None:
    thread = await setup.say("hello")
    await setup.done(thread)
    said = await setup.ada.sees(thread, "Hello, I am here.")
    await add_moderator(setup, "mo").delete(said)
    await setup.ada.write(thread, "long")
    await setup.done(thread)
    whole_and_once(setup, thread)
    assert "Hello, I am here." not in setup.text(thread)


async def test_what_may_not_be_written_is_written_when_it_may(setup: BotSetup) -> None:
    thread = await setup.say("hello")
    await setup.done(thread)
    setup.channel.denied[setup.discord.world.bot.id] = Permission.SEND_MESSAGES_IN_THREADS
    await setup.ada.write(thread, "long")
    await refused(setup)
    setup.channel.denied.clear()
    await setup.done(thread, 2)
    whole_and_once(setup, thread)


async def test_a_thread_that_is_locked_gets_the_rest_when_it_is_open_again(setup: BotSetup) -> None:
    thread = await setup.say("hello")
    await setup.done(thread)
    world = setup.discord.world
    setup.channel.denied[world.bot.id] = Permission.MANAGE_THREADS
    await setup.ada.write(thread, "long")
    threads.change(world, thread, setup.ada.user, threads.ChannelEdit(locked=True))
    await refused(setup, 400)
    threads.change(world, thread, setup.ada.user, threads.ChannelEdit(locked=False))
    await setup.done(thread, 2)
    whole_and_once(setup, thread)


async def test_a_request_that_nobody_can_be_shown_is_denied_after_a_while(
    setup: BotSetup, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr(tool_approval, "NOT_SHOWN_TIMEOUT", 0.5)
    thread = await setup.say("hello")
    await setup.done(thread)
    setup.channel.denied[setup.discord.world.bot.id] = Permission.SEND_MESSAGES_IN_THREADS
    with caplog.at_level(logging.WARNING):
        await setup.ada.write(thread, "ask")
        await refused(setup)
        async with asyncio.timeout(20):
            while "Nobody could be asked" not in journals(setup):  # noqa: ASYNC110 - another process writes it
                await asyncio.sleep(0.05)
    assert "Denied a request in thread" in caplog.text
    setup.channel.denied.clear()
    card = await setup.ada.sees(thread, lambda message: "Denied" in shown(message), within=20)
    assert buttons(card) == []
    assert not (setup.project / "made.txt").exists()


async def test_a_channel_that_is_deleted_ends_what_runs_in_it_and_nothing_else(setup: BotSetup) -> None:
    thread = await setup.say("ask")
    await setup.card(thread, "touch made.txt")
    owner = setup.discord.person(setup.discord_server.guild.owner)
    other = await setup.say("hello")
    await setup.done(other)
    await owner.delete_channel(thread)
    await setup.ada.write(other, "long")
    await setup.done(other, 2)
    whole_and_once(setup, other)
    assert not (setup.project / "made.txt").exists()


async def test_a_token_that_is_revoked_ends_the_bot_with_one_sentence(
    discord_server: DiscordServer, tmp_path: Path
) -> None:
    setup = scripted(discord_server, tmp_path, SCRIPTS)
    path = write_config(tmp_path / "claude-discord.toml", setup)
    environment = dict(setup.environment) | {"DISCORD_TOKEN": setup.discord.token}
    async with command("--config", str(path), cwd=tmp_path, **environment) as bot, asyncio.timeout(40):
        assert bot.stderr is not None
        while b"Ready." not in await bot.stderr.readline():
            assert not bot.stderr.at_eof()
        before = setup.discord.gateway.identifies
        setup.discord.revoke_token()
        _, errors = await bot.communicate()
    assert bot.returncode == 2
    assert "does not accept the bot token" in errors.decode().splitlines()[-1]
    assert setup.discord.gateway.identifies <= before + 1


async def test_what_is_written_into_a_new_thread_comes_after_what_it_was_opened_for(setup: BotSetup) -> None:
    """Discord has opened the thread but answers with an error: the bot tries again, and people already write in it."""
    setup.discord.faults.plan(ErrorAnswer(502, after=True), "/channels/{channel_id}/messages/{message_id}/threads")
    thread = await setup.say("long")
    await setup.ada.write(thread, "hello")
    await setup.done(thread, 2)
    whole_and_once(setup, thread)
    assert setup.text(thread).index("⟪8⟫") < setup.text(thread).index("Hello, I am here.")


async def test_what_was_missed_is_read_when_discord_lets_it_and_comes_before_what_is_heard(
    discord_server: DiscordServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(backoff, "FIRST_PAUSE", 0.05)
    setup = scripted(discord_server, tmp_path, SCRIPTS)
    async with setup.bot():
        thread = await setup.say("ask")
        await setup.ada.click(await setup.card(thread, "touch made.txt"), "Deny")
        await setup.done(thread)
    await setup.ada.write(thread, "long")
    setup.discord.faults.plan(ErrorAnswer(520), MESSAGES, method="GET", times=5)
    async with setup.bot():
        await setup.ada.write(thread, "hello")
        await setup.done(thread, 3)
    whole_and_once(setup, thread)
    assert setup.text(thread).index("⟪8⟫") < setup.text(thread).index("Hello, I am here.")


async def test_what_is_heard_does_not_hide_what_was_missed_from_the_next_bot(
    discord_server: DiscordServer, tmp_path: Path
) -> None:
    setup = scripted(discord_server, tmp_path, SCRIPTS)
    async with setup.bot():
        thread = await setup.say("ask")
        await setup.ada.click(await setup.card(thread, "touch made.txt"), "Deny")
        await setup.done(thread)
    await setup.ada.write(thread, "long")
    with setup.discord.faults.held(MESSAGES, method="GET"):
        async with setup.bot():
            await setup.ada.write(thread, "hello")
            answer = await setup.ada.command(thread, "status")  # handled after it
            assert not answer.failed
    async with setup.bot():
        await setup.done(thread, 3)
    whole_and_once(setup, thread)
    assert setup.text(thread).index("⟪8⟫") < setup.text(thread).index("Hello, I am here.")
