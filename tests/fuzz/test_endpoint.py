"""Tests that the endpoint answers or refuses any bytes, never with an allow, and stays up."""

import asyncio
import json
from collections.abc import AsyncIterator
from dataclasses import dataclass, field
from pathlib import Path

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from bot.local_api import permission_routes, server
from bot.records import RunRecord
from shared.protocol import ASK_ROUTE, Allow, Deny, Request
from tests.fuzz.time_limit import boxed

TOKEN = "the-one-token"
WISH = {"tool_name": "Bash", "input": {"command": "ls"}, "tool_use_id": "toolu_1"}
LINES = [
    f"POST {ASK_ROUTE} HTTP/1.1",
    "GET / HTTP/1.1",
    "POST /ask HTTP/9.9",
    "PRI * HTTP/2.0",
    "\x00",
    "OPTIONS * HTTP/1.0",
]
HEADERS = [
    "Host: 127.0.0.1",
    f"Authorization: Bearer {TOKEN}",
    f"Authorization: bearer {TOKEN}",
    "Authorization: Bearer \xff",
    "Content-Type: application/json",
    "Content-Type: application/json; charset=utf-16",
    "Content-Length: 5",
    "Content-Length: -1",
    "Content-Length: 99999999999999999999",
    "Transfer-Encoding: chunked",
    "Expect: 100-continue",
    "Upgrade: websocket",
    "Origin: null",
    "X" * 9000 + ": x",
    ": nothing",
]
bodies = st.binary(max_size=60) | st.sampled_from(
    [json.dumps(WISH).encode(), b"5\r\nhello\r\n0\r\n\r\n", b"[" * 3000, b"{}"]
)


@dataclass
class Never:
    """Denies every request, and records it: no guess may get through to here."""

    asked: list[Request] = field(default_factory=list)

    def run_of(self, token: str) -> RunRecord | None:
        return RunRecord("a", 1, "", 0.0) if token == TOKEN else None

    async def ask(self, _: RunRecord, request: Request) -> Allow | Deny:
        self.asked.append(request)
        return Deny(message="No.")


@pytest.fixture
async def address(tmp_path: Path) -> AsyncIterator[tuple[str, int]]:
    async with server.serve(permission_routes.routes(Never()), tmp_path / "address") as address:
        host, port = address.removeprefix("http://").split(":")
        yield host, int(port)


async def answer(address: tuple[str, int], content: bytes, *, ending: bool) -> bytes:
    """Send this, perhaps with EOF, which also says that nobody waits; return everything that comes back."""
    async with asyncio.timeout(20):
        reader, writer = await asyncio.open_connection(*address)
        try:
            writer.write(content)
            if ending:
                writer.write_eof()
            return await reader.read()
        except ConnectionError:
            return b""
        finally:
            writer.transport.abort()


raw = st.binary(max_size=200) | st.builds(
    lambda line, headers, body: "\r\n".join([line, *headers, "", ""]).encode("latin-1") + body,
    st.sampled_from(LINES),
    st.lists(st.sampled_from(HEADERS), max_size=6),
    bodies,
)


@boxed(500)
@given(raw)
@example(b"")
@example(b"\r\n\r\n")
async def test_any_bytes_leave_the_endpoint_as_it_was(address: tuple[str, int], content: bytes) -> None:
    got = await answer(address, content, ending=True)
    assert b'"allow"' not in got
    assert b"Traceback" not in got
    body = json.dumps(WISH).encode()
    head = f"POST {ASK_ROUTE} HTTP/1.0\r\nHost: 127.0.0.1\r\nAuthorization: Bearer {TOKEN}\r\n"
    head += f"Content-Type: application/json\r\nContent-Length: {len(body)}\r\n\r\n"
    assert b'"deny"' in await answer(address, head.encode() + body, ending=False)
