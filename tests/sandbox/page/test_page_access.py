"""Who may open the page, and how its socket answers invalid requests."""

import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import aiohttp
import pytest
from aiohttp import ClientWebSocketResponse

from sandbox.discord import Upload
from sandbox.page.server import Page
from tests.fixtures.discord_server import DiscordServer

pytestmark = pytest.mark.asyncio(loop_scope="session")


def root(page: Page) -> str:
    return f"http://127.0.0.1:{page.port}"


@asynccontextmanager
async def socket(page: Page, person: int | None = None) -> AsyncIterator[ClientWebSocketResponse]:
    address = f"{page.address}socket" + (f"?as={person}" if person else "")
    async with (
        aiohttp.ClientSession() as session,
        session.ws_connect(address, headers={"Origin": root(page)}, max_msg_size=0) as line,
    ):
        yield line


async def ask(line: ClientWebSocketResponse, **what: Any) -> dict[str, Any]:
    """Send a request, and read up to its answer."""
    await line.send_json({"id": 7, **what})
    while True:
        told: dict[str, Any] = await line.receive_json(timeout=5)
        if told.get("reply") == 7 or "error" in told:
            return told


@pytest.mark.parametrize(
    "path", ["/", "/wrong/", "/static/js/page.js", "/wrong/static/js/page.js", "/socket", "/wrong/socket"]
)
async def test_without_the_key_nothing_is_shown(page: Page, path: str) -> None:
    async with aiohttp.ClientSession() as session, session.get(root(page) + path) as answer:
        assert answer.status == 403
        assert "terminal" in await answer.text()


@pytest.mark.parametrize(
    "headers",
    [
        {"Host": "evil.example"},
        {"Origin": "http://evil.example"},
        {"Origin": "null"},
        {"Origin": "https://127.0.0.1:{port}"},
        {"Origin": "http://127.0.0.1:1"},
    ],
    ids=str,
)
async def test_another_site_is_turned_away_even_with_the_key(page: Page, headers: dict[str, str]) -> None:
    headers = {name: value.format(port=page.port) for name, value in headers.items()}
    async with aiohttp.ClientSession() as session:
        for path in ("", "socket", "static/js/page.js"):
            async with session.get(page.address + path, headers=headers) as answer:
                assert answer.status == 403


async def test_a_socket_needs_the_page_around_it(page: Page) -> None:
    async with aiohttp.ClientSession() as session, session.get(page.address + "socket") as answer:
        assert answer.status == 403


async def test_the_page_runs_no_script_but_its_own(page: Page) -> None:
    async with aiohttp.ClientSession() as session, session.get(page.address) as answer:
        assert answer.status == 200
        policy = answer.headers["Content-Security-Policy"]
        assert "script-src 'self'" in policy
        assert "unsafe" not in policy
        assert answer.headers["Referrer-Policy"] == "no-referrer"
        assert "Set-Cookie" not in answer.headers


async def test_an_uploaded_page_is_only_ever_saved(page: Page, discord_server: DiscordServer) -> None:
    html = Upload("trap.html", b"<script>alert(1)</script>", "text/html")
    message = await discord_server.eve.write(discord_server.channel, "look", files=[html])
    address = f"{page.address}attachment/{message.attachments[0].id}"
    async with aiohttp.ClientSession() as session, session.get(address) as answer:
        assert answer.headers["Content-Disposition"] == "attachment"
        assert answer.headers["Content-Type"] == "application/octet-stream"
        assert answer.headers["Content-Security-Policy"] == "sandbox"
    async with aiohttp.ClientSession() as session, session.get(f"{page.address}attachment/12") as answer:
        assert answer.status == 404


async def test_nobody_does_what_they_may_not(page: Page, discord_server: DiscordServer) -> None:
    secret = discord_server.discord.world.add_channel(discord_server.guild, "developers-only")
    secret.deny(discord_server.guild.everyone)
    message = await discord_server.ada.write(discord_server.channel, "mine")
    thread = await discord_server.ada.start_thread(discord_server.channel, "hers")
    async with socket(page, discord_server.eve.user.id) as line:
        snapshot = (await line.receive_json(timeout=5))["snapshot"]
        assert snapshot["user"]["username"] == "eve"
        assert "developers-only" not in json.dumps(snapshot)
        here = {"channel": str(discord_server.channel.id)}
        assert "no longer exists" in (await ask(line, do="write", channel=str(secret.id), text="hello"))["error"]
        assert "error" in await ask(line, do="edit", **here, message=str(message.id), text="yours")
        assert "error" in await ask(line, do="delete", **here, message=str(message.id))
        assert "permission to archive" in (await ask(line, do="archive", channel=str(thread.id), on=True))["error"]
        assert "error" in await ask(line, do="click", **here, message=str(message.id), custom_id="nothing")
        assert "error" in await ask(line, do="submit", modal="1", values={})
        assert "error" in await ask(line, do="command", **here, name="nothing")
    assert message.content == "mine"


@pytest.mark.parametrize(
    "text", ["", "[]", "{}", '{"id": 1, "do": "all"}', '{"id": "x"}', "\0", "[" * 100_000], ids=len
)
async def test_an_invalid_request_is_refused_in_a_sentence_and_the_line_stays(
    page: Page, discord_server: DiscordServer, text: str
) -> None:
    async with socket(page) as line:
        await line.receive_json(timeout=5)
        await line.send_str(text)
        assert "invalid request" in (await line.receive_json(timeout=5))["error"]
        await line.send_bytes(b"\xff")
        assert (await ask(line, do="commands", channel=str(discord_server.channel.id)))["commands"] == []
