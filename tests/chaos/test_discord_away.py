"""Discord on a bad day: what could not be sent is sent later, in order and once, and what was written is heard."""

import asyncio
import logging
import math
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from bot.conversations import tool_approval
from bot.discord.incoming import inbox
from bot.discord.outgoing import thread_channel
from sandbox.discord import DiscordChannel, TimeLimits, serve
from sandbox.discord.rest.faults import DroppedConnection, ErrorAnswer
from sandbox.discord.state import threads
from sandbox.discord.state.entities import Permission
from sandbox.script import Say, Use, script
from tests.fixtures.discord_judge import judge
from tests.fixtures.house import House, buttons, shown
from tests.fixtures.scripted_house import command, moderator, scripted, write_config
from tests.fixtures.workshop import Workshop, found

MESSAGES = "/channels/{channel_id}/messages*"
LONG = "\n\n".join(f"⟪{number}⟫ {'words and words ' * 40}" for number in range(9))
SCRIPTS = {
    "long": script([Say(LONG, pace=0.001)]),
    "hello": script([Say("Hello, I am here.")]),
    "ask": script([Say("May I?"), Use("Bash", {"command": "touch made.txt"})], [Say("All done.")]),
}


@pytest.fixture
async def workshop() -> AsyncIterator[Workshop]:
    async with serve(pace=TimeLimits(speed=math.inf, patience=2.0), judge=judge) as discord:
        yield found(discord)
        assert discord.violations == []


@pytest.fixture
async def house(workshop: Workshop, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[House]:
    monkeypatch.setattr(thread_channel, "RETRY", 0.05)
    house = scripted(workshop, tmp_path, SCRIPTS)
    async with house.bot():
        yield house


async def refused(house: House, status: int = 403) -> None:
    """Wait until Discord has refused something."""
    async with asyncio.timeout(20):
        while all(request.status != status for request in house.discord.requests):  # noqa: ASYNC110 - nobody tells
            await asyncio.sleep(0.05)


def journals(house: House) -> str:
    return "".join(path.read_text(encoding="utf-8") for path in house.state.glob("runs/*/journal.jsonl"))


def whole_and_once(house: House, thread: DiscordChannel) -> None:
    text = house.text(thread)
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
    house: House, fault: ErrorAnswer | DroppedConnection
) -> None:
    house.discord.faults.plan(fault, MESSAGES, times=2)
    thread = await house.say("long")
    await house.done(thread)
    whole_and_once(house, thread)


async def test_a_limit_that_is_longer_than_hikari_waits_is_waited_out(house: House) -> None:
    house.discord.faults.plan(ErrorAnswer(429, retry_after=400.0), MESSAGES, method="POST", times=1)
    thread = await house.say("long")
    await house.done(thread)
    whole_and_once(house, thread)


@pytest.mark.parametrize("trouble", ["drop", "ask_to_reconnect", "invalidate"])
async def test_what_is_written_while_the_connection_is_broken_is_heard(house: House, trouble: str) -> None:
    thread = await house.say("hello")
    await house.done(thread)
    before = house.discord.gateway.identifies
    getattr(house.discord.gateway, trouble)()
    await house.ada.write(thread, "long")
    await house.done(thread, 2)
    whole_and_once(house, thread)
    assert house.discord.gateway.identifies <= before + 1


async def test_a_click_whose_answer_gets_lost_still_decides_and_the_card_says_so(house: House) -> None:
    thread = await house.say("ask")
    card = await house.card(thread, "touch made.txt")
    house.discord.faults.plan(ErrorAnswer(404), "/interactions/*", times=1)
    answer = await house.ada.click(card, "Allow")
    assert answer.failed
    await house.ada.sees(thread, "All done.")
    await house.becomes(card, "Allowed")
    assert buttons(card) == []
    assert (house.project / "made.txt").exists()


async def test_a_text_that_a_moderator_deletes_stays_deleted_and_the_rest_goes_on(house: House) -> None:
    thread = await house.say("hello")
    await house.done(thread)
    said = await house.ada.sees(thread, "Hello, I am here.")
    await moderator(house, "mo").delete(said)
    await house.ada.write(thread, "long")
    await house.done(thread)
    whole_and_once(house, thread)
    assert "Hello, I am here." not in house.text(thread)


async def test_what_may_not_be_written_is_written_when_it_may(house: House) -> None:
    thread = await house.say("hello")
    await house.done(thread)
    house.channel.denied[house.discord.world.bot.id] = Permission.SEND_MESSAGES_IN_THREADS
    await house.ada.write(thread, "long")
    await refused(house)
    house.channel.denied.clear()
    await house.done(thread, 2)
    whole_and_once(house, thread)


async def test_a_thread_that_is_locked_gets_the_rest_when_it_is_open_again(house: House) -> None:
    thread = await house.say("hello")
    await house.done(thread)
    world = house.discord.world
    house.channel.denied[world.bot.id] = Permission.MANAGE_THREADS
    await house.ada.write(thread, "long")
    threads.change(world, thread, house.ada.user, threads.ChannelEdit(locked=True))
    await refused(house, 400)
    threads.change(world, thread, house.ada.user, threads.ChannelEdit(locked=False))
    await house.done(thread, 2)
    whole_and_once(house, thread)


async def test_a_request_that_nobody_can_be_shown_is_denied_after_a_while(
    house: House, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr(tool_approval, "UNSEEN", 0.5)
    thread = await house.say("hello")
    await house.done(thread)
    house.channel.denied[house.discord.world.bot.id] = Permission.SEND_MESSAGES_IN_THREADS
    with caplog.at_level(logging.WARNING):
        await house.ada.write(thread, "ask")
        await refused(house)
        async with asyncio.timeout(20):
            while "Nobody could be asked" not in journals(house):  # noqa: ASYNC110 - another process writes it
                await asyncio.sleep(0.05)
    assert "can't be shown, and is denied" in caplog.text
    house.channel.denied.clear()
    card = await house.ada.sees(thread, lambda message: "Denied" in shown(message), within=20)
    assert buttons(card) == []
    assert not (house.project / "made.txt").exists()


async def test_a_channel_that_is_deleted_ends_what_runs_in_it_and_nothing_else(house: House) -> None:
    thread = await house.say("ask")
    await house.card(thread, "touch made.txt")
    owner = house.discord.person(house.workshop.guild.owner)
    other = await house.say("hello")
    await house.done(other)
    await owner.delete_channel(thread)
    await house.ada.write(other, "long")
    await house.done(other, 2)
    whole_and_once(house, other)
    assert not (house.project / "made.txt").exists()


async def test_a_token_that_is_revoked_ends_the_bot_with_one_sentence(workshop: Workshop, tmp_path: Path) -> None:
    house = scripted(workshop, tmp_path, SCRIPTS)
    path = write_config(tmp_path / "claude-discord.toml", house)
    environment = dict(house.environment) | {"DISCORD_TOKEN": house.discord.token}
    async with command("--config", str(path), cwd=tmp_path, **environment) as bot, asyncio.timeout(40):
        assert bot.stderr is not None
        while b"Ready." not in await bot.stderr.readline():
            assert not bot.stderr.at_eof()
        before = house.discord.gateway.identifies
        house.discord.revoke_token()
        _, errors = await bot.communicate()
    assert bot.returncode == 2
    assert "does not accept the bot token" in errors.decode().splitlines()[-1]
    assert house.discord.gateway.identifies <= before + 1


async def test_what_is_written_into_a_new_thread_comes_after_what_it_was_opened_for(house: House) -> None:
    """Discord has opened the thread and does not say so: the bot tries again, and people write already."""
    house.discord.faults.plan(ErrorAnswer(502, after=True), "/channels/{channel_id}/messages/{message_id}/threads")
    thread = await house.say("long")
    await house.ada.write(thread, "hello")
    await house.done(thread, 2)
    whole_and_once(house, thread)
    assert house.text(thread).index("⟪8⟫") < house.text(thread).index("Hello, I am here.")


async def test_what_was_missed_is_read_when_discord_lets_it_and_comes_before_what_is_heard(
    workshop: Workshop, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(inbox, "PAUSE", 0.05)
    house = scripted(workshop, tmp_path, SCRIPTS)
    async with house.bot():
        thread = await house.say("ask")
        await house.ada.click(await house.card(thread, "touch made.txt"), "Deny")
        await house.done(thread)
    await house.ada.write(thread, "long")
    house.discord.faults.plan(ErrorAnswer(520), MESSAGES, method="GET", times=5)
    async with house.bot():
        await house.ada.write(thread, "hello")
        await house.done(thread, 3)
    whole_and_once(house, thread)
    assert house.text(thread).index("⟪8⟫") < house.text(thread).index("Hello, I am here.")


async def test_what_is_heard_does_not_hide_what_was_missed_from_the_next_bot(
    workshop: Workshop, tmp_path: Path
) -> None:
    house = scripted(workshop, tmp_path, SCRIPTS)
    async with house.bot():
        thread = await house.say("ask")
        await house.ada.click(await house.card(thread, "touch made.txt"), "Deny")
        await house.done(thread)
    await house.ada.write(thread, "long")
    with house.discord.faults.held(MESSAGES, method="GET"):
        async with house.bot():
            await house.ada.write(thread, "hello")
            answer = await house.ada.command(thread, "status")  # heard after it
            assert not answer.failed
    async with house.bot():
        await house.done(thread, 3)
    whole_and_once(house, thread)
    assert house.text(thread).index("⟪8⟫") < house.text(thread).index("Hello, I am here.")
