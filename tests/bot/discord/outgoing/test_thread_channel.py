"""Tests that a thread stays up to date even if one of its messages can't be drawn, which it says."""

import asyncio
from collections.abc import AsyncIterator, Callable
from pathlib import Path

import hikari
import pytest

from bot.discord import backoff
from bot.discord.outgoing.rate_limits import RateLimits
from bot.discord.outgoing.thread_channel import NOT_RENDERED, ThreadChannel
from bot.messages import AttachedFile, Box, Message
from bot.store import Store
from tests.fixtures.discord_server import DiscordServer

WITHIN = 10.0
BROKEN = Message("0", components=(Box((AttachedFile("no such file"),)),))


class CannotDrawError(Exception):
    """A bug in a renderer."""


def broken() -> list[Message]:
    raise CannotDrawError


@pytest.fixture
async def rest(discord_server: DiscordServer) -> AsyncIterator[hikari.api.RESTClient]:
    app = hikari.RESTApp(url=discord_server.discord.rest_url)
    await app.start()
    async with app.acquire(discord_server.discord.token, hikari.TokenType.BOT) as rest:
        yield rest
    await app.close()


@pytest.fixture
async def channel(
    rest: hikari.api.RESTClient, discord_server: DiscordServer, tmp_path: Path
) -> AsyncIterator[ThreadChannel]:
    with Store.open(tmp_path / "state.sqlite3") as store:
        async with ThreadChannel.open(rest, discord_server.channel.id, store, RateLimits()) as channel:
            yield channel


async def texts(discord_server: DiscordServer, channel: ThreadChannel) -> list[str]:
    async with asyncio.timeout(WITHIN):
        await channel.settled()
    return [message.content for message in discord_server.ada.messages(discord_server.channel)]


@pytest.mark.parametrize("drawn", [broken, lambda: [BROKEN]], ids=["worked out", "written for Discord"])
async def test_a_message_that_can_not_be_drawn_is_said_and_the_rest_goes_on(
    discord_server: DiscordServer,
    channel: ThreadChannel,
    caplog: pytest.LogCaptureFixture,
    drawn: Callable[[], list[Message]],
) -> None:
    shown: list[str] = []
    channel.show("a turn", drawn)
    channel.once_shown("a turn", lambda: shown.append("a turn"))
    channel.show("another", lambda: [Message("0", "This can be drawn.")])
    channel.once_shown("another", lambda: shown.append("another"))
    assert await texts(discord_server, channel) == [NOT_RENDERED.text, "This can be drawn."]
    assert "The view a turn of thread" in caplog.text
    assert "Traceback" in caplog.text
    assert shown == ["another"]
    assert channel.trouble() is not None
    channel.show("a turn", drawn)
    assert (await texts(discord_server, channel)).count(NOT_RENDERED.text) == 1
    assert caplog.text.count("Traceback") == 1, "it is logged once"
    channel.show("a turn", lambda: [Message("0", "Now it can be drawn.")])
    assert await texts(discord_server, channel) == ["This can be drawn.", "Now it can be drawn."]
    assert shown == ["another", "a turn"]
    assert channel.trouble() is None


async def test_what_stands_already_stays_when_it_can_not_be_drawn_any_more(
    discord_server: DiscordServer, channel: ThreadChannel
) -> None:
    channel.show("a turn", lambda: [Message("0", "The beginning.")])
    assert await texts(discord_server, channel) == ["The beginning."]
    channel.show("a turn", broken)
    assert await texts(discord_server, channel) == ["The beginning.", NOT_RENDERED.text]


async def test_a_change_that_can_not_be_drawn_is_said(discord_server: DiscordServer, channel: ThreadChannel) -> None:
    channel.amend("a turn", BROKEN)
    assert await texts(discord_server, channel) == [NOT_RENDERED.text]


async def test_a_mistake_of_our_own_is_tried_again(
    discord_server: DiscordServer,
    channel: ThreadChannel,
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
) -> None:
    monkeypatch.setattr(backoff, "FIRST_PAUSE", 0.01)
    failures = iter([CannotDrawError("the state file"), CannotDrawError("the state file")])

    def once_shown() -> None:
        for failure in failures:
            raise failure

    channel.show("a turn", lambda: [Message("0", "Hello.")])
    channel.once_shown("a turn", once_shown)
    assert await texts(discord_server, channel) == ["Hello."]
    assert "could not be updated" in caplog.text
    assert next(failures, None) is None
