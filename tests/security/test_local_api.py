"""Tests the endpoint against other programs on this machine: it refuses them cheaply and keeps serving."""

import asyncio
import json
import logging
import stat
import time
from collections.abc import AsyncIterator
from contextlib import suppress
from pathlib import Path

import pytest

from bot.conversations.run_token import hash_token
from bot.local_api import owner_protocol, permission_routes, server
from sandbox.scripts.script import Say, Use, script
from shared.protocol import ASK_ROUTE, FILE_ROUTE
from tests.fixtures.bot_setup import BotSetup
from tests.fixtures.discord_server import DiscordServer
from tests.fixtures.scripted_setup import scripted

RUNS = [ASK_ROUTE, FILE_ROUTE]
ROUTES = [*RUNS, *(path for name, path in vars(owner_protocol).items() if name.endswith("_ROUTE"))]
GUARDED = [path for path in ROUTES if path != owner_protocol.HEALTH_ROUTE]
SCRIPTS = {"ask": script([Use("Bash", {"command": "touch made.txt"})], [Say("All done.")])}
CROWD = 2000


@pytest.fixture
async def setup(discord_server: DiscordServer, tmp_path: Path) -> AsyncIterator[BotSetup]:
    setup = scripted(discord_server, tmp_path, SCRIPTS)
    async with setup.bot():
        yield setup


def address(setup: BotSetup) -> tuple[str, int]:
    host, port = (setup.state / owner_protocol.ADDRESS_FILE).read_text().removeprefix("http://").split(":")
    return host, int(port)


async def send(
    setup: BotSetup, method: str, path: str, headers: dict[str, str], body: bytes = b"{}"
) -> tuple[int, bytes]:
    """Send exactly this, and return the status and the whole answer."""
    host, port = address(setup)
    lines = {"Host": f"{host}:{port}", "Content-Length": str(len(body)), "Connection": "close"} | headers
    head = f"{method} {path} HTTP/1.1\r\n" + "".join(f"{name}: {value}\r\n" for name, value in lines.items())
    async with asyncio.timeout(10):
        reader, writer = await asyncio.open_connection(host, port)
        writer.write(head.encode("latin-1") + b"\r\n" + body)
        answer = await reader.read()
        writer.close()
        await writer.wait_closed()
    return int(answer.split()[1]), answer


def run_token(setup: BotSetup) -> str:
    """Find the token of the current run where its owner could."""
    (config,) = setup.state.glob("runs/*/mcp.json")
    servers = json.loads(config.read_text())["mcpServers"]
    environment = next(iter(servers.values()))["env"]
    return next(value for name, value in environment.items() if name.endswith("TOKEN"))


JSON = {"Content-Type": "application/json"}


@pytest.mark.parametrize("path", GUARDED)
async def test_every_route_refuses_whoever_is_not_meant(setup: BotSetup, path: str) -> None:
    thread = await setup.say("ask")
    await setup.card(thread, "touch made.txt")
    run, owner = run_token(setup), (setup.state / owner_protocol.TOKEN_FILE).read_text()
    right, wrong = (run, owner) if path in RUNS else (owner, run)
    bearer = {"Authorization": f"Bearer {right}"} | JSON
    tries = {
        "no token": JSON,
        "a wrong token": JSON | {"Authorization": "Bearer guessed"},
        "the other kind's token": JSON | {"Authorization": f"Bearer {wrong}"},
        "the hash of the token": JSON | {"Authorization": f"Bearer {hash_token(right)}"},
        "another scheme": JSON | {"Authorization": f"Basic {right}"},
        "another host": bearer | {"Host": "attacker.example"},
        "a page of a browser": bearer | {"Origin": "http://localhost:8000"},
        "a page of no origin": bearer | {"Origin": "null"},
    }
    for method in ("GET", "POST"):
        for kind, headers in tries.items():
            status, answer = await send(setup, method, path, headers)
            assert status in {401, 403, 405}, (method, kind, answer)
            assert right.encode() not in answer
    if path not in {owner_protocol.RESTART_ROUTE, owner_protocol.SESSIONS_ROUTE}:  # these two take no body
        for kind, body in (("text/plain", b"{}"), ("application/x-www-form-urlencoded", b"a=b")):
            status, answer = await send(setup, "POST", path, bearer | {"Content-Type": kind}, body)
            assert status == 415, answer
    assert not (setup.project / "made.txt").exists()


async def test_a_run_that_has_ended_can_ask_nothing_any_more(setup: BotSetup) -> None:
    thread = await setup.say("ask")
    card = await setup.card(thread, "touch made.txt")
    token = run_token(setup)
    await setup.ada.command(thread, "stop")
    await setup.ada.command(thread, "stop")
    await setup.becomes(card, "stopped")
    wish = json.dumps({"tool_name": "Bash", "input": {"command": "touch made.txt"}, "tool_use_id": "toolu_x"})

    async def refused() -> tuple[int, bytes]:
        return await send(setup, "POST", ASK_ROUTE, JSON | {"Authorization": f"Bearer {token}"}, wish.encode())

    async with asyncio.timeout(20):
        while (answer := await refused())[0] == 200:  # the process may need a moment to end
            assert b'"allow"' not in answer[1]
            await asyncio.sleep(0.05)
    assert answer[0] == 410
    assert not list(setup.state.glob("runs/*/mcp.json"))


async def test_the_open_route_tells_nothing_about_anybodys_work(setup: BotSetup) -> None:
    await setup.say("ask")
    status, answer = await send(setup, "GET", owner_protocol.HEALTH_ROUTE, {}, b"")
    assert status == 200
    told = json.loads(answer.partition(b"\r\n\r\n")[2])
    assert set(told) <= {"ok", "boot", "discord"}
    assert (await send(setup, "GET", owner_protocol.HEALTH_ROUTE, {"Origin": "http://localhost"}, b""))[0] == 403


async def test_a_body_that_trickles_in_is_given_up(setup: BotSetup, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(permission_routes, "BODY_TIME", 0.3)
    thread = await setup.say("ask")
    await setup.card(thread, "touch made.txt")
    headers = JSON | {"Authorization": f"Bearer {run_token(setup)}", "Content-Length": "1000"}
    status, _ = await send(setup, "POST", ASK_ROUTE, headers, b'{"tool_name": "')
    assert status == 408


@pytest.mark.parametrize("begun", [b"", b"POST /", b"POST /ask HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Le"])
async def test_whoever_says_nothing_is_not_waited_for(
    discord_server: DiscordServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, begun: bytes
) -> None:
    monkeypatch.setattr(server, "IDLE_TIME", 0.3)
    setup = scripted(discord_server, tmp_path, SCRIPTS)
    async with setup.bot(), asyncio.timeout(10):
        reader, writer = await asyncio.open_connection(*address(setup))
        writer.write(begun)
        assert await reader.read() == b""
        writer.close()


async def test_a_crowd_of_silent_connections_keeps_nobody_out(setup: BotSetup) -> None:
    host, port = address(setup)
    crowd: list[asyncio.StreamWriter] = []
    try:
        async with asyncio.timeout(30):
            for number in range(CROWD):
                _, writer = await asyncio.open_connection(host, port)
                writer.write((b"", b"POST /", b"POST / HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Le")[number % 3])
                crowd.append(writer)
        began = time.monotonic()
        thread = await setup.say("ask")
        card = await setup.card(thread, "touch made.txt")
        await setup.ada.click(card, "Allow")
        await setup.ada.sees(thread, "All done.", within=20)
        assert time.monotonic() - began < 20
        assert (setup.project / "made.txt").exists()
    finally:
        for writer in crowd:
            writer.transport.abort()
        for writer in crowd:
            with suppress(OSError):
                await writer.wait_closed()


def wish(number: int) -> bytes:
    return json.dumps(
        {"tool_name": "Bash", "input": {"command": f"echo {number}"}, "tool_use_id": f"t{number}"}
    ).encode()


async def test_one_run_that_asks_for_thousands_of_things_is_denied_and_starves_nobody(setup: BotSetup) -> None:
    greedy = await setup.say("ask")
    await setup.card(greedy, "touch made.txt")
    host, port = address(setup)
    bearer = f"Authorization: Bearer {run_token(setup)}\r\nContent-Type: application/json\r\n"
    crowd: list[tuple[asyncio.StreamReader, asyncio.StreamWriter]] = []
    try:
        async with asyncio.timeout(60):
            for number in range(CROWD):
                reader, writer = await asyncio.open_connection(host, port)
                body = wish(number)
                head = f"POST {ASK_ROUTE} HTTP/1.1\r\nHost: {host}:{port}\r\nContent-Length: {len(body)}\r\n"
                writer.write(head.encode() + bearer.encode() + b"\r\n" + body)
                crowd.append((reader, writer))
            denied = await crowd[-1][0].readuntil(b"}")
        assert denied.startswith(b"HTTP/1.1 200 OK")
        assert b'"deny"' in denied
        assert b"requests of this session are already open" in denied
        began = time.monotonic()
        other = await setup.say("ask")
        card = await setup.card(other, "touch made.txt")
        await setup.ada.click(card, "Allow")
        await setup.ada.sees(other, "All done.", within=20)
        assert time.monotonic() - began < 20
        waiting = (await setup.ada.command(greedy, "pending")).text
        assert f"**{permission_routes.MAX_OPEN} open requests**" in waiting
    finally:
        for _, writer in crowd:
            writer.transport.abort()
        for _, writer in crowd:
            with suppress(OSError):
                await writer.wait_closed()


async def test_a_body_that_is_not_a_request_takes_no_place(setup: BotSetup, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(permission_routes, "MAX_OPEN", 2)
    await setup.card(await setup.say("ask"), "touch made.txt")
    headers = JSON | {"Authorization": f"Bearer {run_token(setup)}"}
    for _ in range(5):
        assert (await send(setup, "POST", ASK_ROUTE, headers, b"{}"))[0] == 400


@pytest.mark.parametrize("version", ["HTTP/1.0", "HTTP/1.1"])
async def test_without_a_host_nothing_is_heard(setup: BotSetup, version: str) -> None:
    host, port = address(setup)
    for path in (owner_protocol.HEALTH_ROUTE, owner_protocol.SESSIONS_ROUTE):
        async with asyncio.timeout(10):
            reader, writer = await asyncio.open_connection(host, port)
            token = (setup.state / owner_protocol.TOKEN_FILE).read_text()
            writer.write(f"GET {path} {version}\r\nAuthorization: Bearer {token}\r\nConnection: close\r\n\r\n".encode())
            answer = await reader.read()
            writer.close()
        assert answer.split()[1] in {b"400", b"403"}, answer


NO_HTTP = [
    b"\x16\x03\x01\x02\x00\x01\x00\r\n\r\n",
    b"GET / HTTP/9.9\r\n\r\n",
    b"GET / HTTP/1.1\r\nHost: 127.0.0.1\r\n: \r\n\r\n",
    b"GET /" + b"a" * 100_000 + b" HTTP/1.1\r\n\r\n",
    b"POST /ask HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: -1\r\n\r\n",
    b"POST /ask HTTP/1.1\r\nHost: 127.0.0.1\r\nTransfer-Encoding: chunked\r\n\r\nZZ\r\n",
]


@pytest.mark.parametrize("sent", NO_HTTP, ids=lambda sent: repr(sent[:20]))
async def test_what_is_no_http_fills_no_log(setup: BotSetup, caplog: pytest.LogCaptureFixture, sent: bytes) -> None:
    with caplog.at_level(logging.DEBUG):
        async with asyncio.timeout(10):
            reader, writer = await asyncio.open_connection(*address(setup))
            writer.write(b"GET /healthz HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n" + sent)
            with suppress(ConnectionError):
                await reader.read()
            writer.close()
    assert "Traceback" not in caplog.text
    assert not [each for each in caplog.records if each.exc_info]


async def test_what_is_private_is_its_owners_only(setup: BotSetup) -> None:
    thread = await setup.say("ask")
    await setup.card(thread, "touch made.txt")
    assert stat.S_IMODE(setup.state.stat().st_mode) == 0o700
    files = [path for path in setup.state.rglob("*") if path.is_file()]
    assert {path.name for path in files} >= {"state.sqlite3", "address", "admin", "lock", "mcp.json", "journal.jsonl"}
    for path in files:
        assert path.stat().st_mode & 0o077 == 0, path
    for folder in (path for path in setup.state.rglob("*") if path.is_dir()):
        assert folder.stat().st_mode & 0o077 == 0, folder
