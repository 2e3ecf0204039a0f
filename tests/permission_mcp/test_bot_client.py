"""Tests that a request survives, within limits, a bot that goes away and comes back."""

import asyncio
import contextlib
import os
import sys

import pytest
from aiohttp import web

from permission_mcp.bot_client import PATIENCE, BotAddress
from shared.protocol import ADDRESS_ENV, PATIENCE_ENV, TOKEN_ENV, Deny
from tests.permission_mcp.fake_bot import FakeBot
from tests.permission_mcp.mcp_client import approve, call_arguments, client


async def test_a_request_waits_for_a_bot_that_is_not_there_yet(away: FakeBot) -> None:
    async with client(away.environment()) as session, asyncio.TaskGroup() as tasks:
        answer = tasks.create_task(approve(session, call_arguments()))
        await asyncio.wait([answer], timeout=0.3)  # long enough for several tries
        assert not answer.done()
        await away.start()
        (await away.next()).decide(Deny(message="welcome back"))
    assert answer.result()["message"] == "welcome back"


async def test_a_request_follows_the_bot_to_its_next_port(bot: FakeBot) -> None:
    async with client(bot.environment()) as session, asyncio.TaskGroup() as tasks:
        answer = tasks.create_task(approve(session, call_arguments(use="toolu_same", command="make")))
        first = await bot.next()
        before = bot.address_file.read_text()
        await bot.stop()
        await bot.start()
        assert bot.address_file.read_text() != before
        second = await bot.next()
        assert second.request == first.request
        second.decide(Deny(message="from the second bot"))
    assert answer.result()["message"] == "from the second bot"


@pytest.mark.parametrize("status", [502, 503])
async def test_a_bot_that_is_not_ready_is_asked_again(bot: FakeBot, status: int) -> None:
    async with client(bot.environment()) as session, asyncio.TaskGroup() as tasks:
        answer = tasks.create_task(approve(session, call_arguments()))
        (await bot.next()).respond(web.json_response({"error": "not yet"}, status=status))
        (await bot.next()).decide(Deny(message="now"))
    assert answer.result()["message"] == "now"


async def test_an_answer_that_breaks_off_is_asked_for_again(away: FakeBot) -> None:
    async def die(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.readuntil(b"\r\n\r\n")
        writer.write(b'HTTP/1.0 200 OK\r\nContent-Length: 99\r\n\r\n{"behavior":"deny"')
        writer.close()
        with contextlib.suppress(ConnectionError):
            await writer.wait_closed()
        dying.close()
        died.set()

    died = asyncio.Event()
    dying = await asyncio.start_server(die, "127.0.0.1", 0)
    host, port = dying.sockets[0].getsockname()
    away.write_address(f"http://{host}:{port}")
    async with client(away.environment()) as session, asyncio.TaskGroup() as tasks:
        answer = tasks.create_task(approve(session, call_arguments()))
        async with asyncio.timeout(10):
            await died.wait()
        await away.start()
        (await away.next()).decide(Deny(message="whole"))
    assert answer.result()["message"] == "whole"


@pytest.mark.parametrize(
    "address", ["", "127.0.0.1:80", "http://127.0.0.1", "http://127.0.0.1:99999", "http://[", "ftp://127.0.0.1:9", "\0"]
)
async def test_an_address_file_that_is_half_written_is_read_again(away: FakeBot, address: str) -> None:
    away.write_address(address)
    async with client(away.environment()) as session, asyncio.TaskGroup() as tasks:
        answer = tasks.create_task(approve(session, call_arguments()))
        await asyncio.wait([answer], timeout=0.1)
        await away.start()
        (await away.next()).decide(Deny(message="found"))
    assert answer.result()["message"] == "found"


async def test_nothing_is_ever_sent_to_another_machine(away: FakeBot) -> None:
    away.write_address("http://192.0.2.1:80")
    async with client(away.environment(**{PATIENCE_ENV: "0.2"})) as session:
        assert (await approve(session, call_arguments()))["behavior"] == "deny"


@pytest.mark.skipif(sys.platform != "linux" or os.geteuid() != 0, reason="needs a second user on Linux")
@pytest.mark.parametrize("ours", [None, "127.0.0.2"], ids=["alone", "beside a program of ours at another address"])
async def test_another_user_on_the_bots_old_port_hears_and_decides_nothing(away: FakeBot, ours: str | None) -> None:
    heard = asyncio.Event()

    async def decide(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        if await reader.read(1):
            heard.set()
        writer.close()

    os.seteuid(65534)  # a socket belongs to the user who makes it
    try:
        socket = await asyncio.start_server(decide, "127.0.0.1", 0)
    finally:
        os.seteuid(0)
    async with socket as other, contextlib.AsyncExitStack() as beside:
        host, port = other.sockets[0].getsockname()
        if ours is not None:
            await beside.enter_async_context(await asyncio.start_server(decide, ours, port))
        away.write_address(f"http://{host}:{port}")
        async with client(away.environment(**{PATIENCE_ENV: "0.3"})) as session:
            decision = await approve(session, call_arguments(secret="s"))
    assert "has not been running" in decision["message"]
    assert not heard.is_set()


async def test_when_patience_ends_claude_is_told_why(away: FakeBot) -> None:
    async with client(away.environment(**{PATIENCE_ENV: "0.3"})) as session:
        decision = await approve(session, call_arguments())
    assert decision["behavior"] == "deny"
    assert "has not been running for 0.3 seconds" in decision["message"]


async def test_patience_counts_only_the_absence_and_not_the_wait_for_a_person(bot: FakeBot) -> None:
    async with client(bot.environment(**{PATIENCE_ENV: "1.5"})) as session, asyncio.TaskGroup() as tasks:
        answer = tasks.create_task(approve(session, call_arguments()))
        await bot.next()
        await asyncio.wait([answer], timeout=2)  # the person takes longer than the patience
        assert not answer.done()
        await bot.stop()
        await bot.start()
        (await bot.next()).decide(Deny(message="still in time"))
    assert answer.result()["message"] == "still in time"


@pytest.mark.parametrize("patience", ["soon", "", "nan", "-1"])
def test_a_patience_that_is_no_span_of_time_is_the_usual_one(patience: str) -> None:
    bot = BotAddress.from_environment({ADDRESS_ENV: "address", TOKEN_ENV: "token", PATIENCE_ENV: patience})
    assert bot is not None
    assert bot.patience == PATIENCE


@pytest.mark.parametrize("missing", [ADDRESS_ENV, TOKEN_ENV])
async def test_started_by_someone_else_it_denies_and_names_what_is_missing(bot: FakeBot, missing: str) -> None:
    async with client(bot.environment(**{missing: ""})) as session:
        decision = await approve(session, call_arguments())
    assert decision["behavior"] == "deny"
    assert missing in decision["message"]
