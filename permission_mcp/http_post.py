"""Sends a POST request to the bot on loopback and waits for the response.

It uses asyncio's own streams: Claude's first reply waits for this program to start, and importing aiohttp would make
that take a third longer.
"""

import asyncio
from asyncio import StreamReader
from dataclasses import dataclass
from urllib.parse import urlsplit

from permission_mcp.port_owner import belongs_to_us

LOOPBACK = "127.0.0.1"
CONNECT_TIMEOUT = 5.0  # a full accept queue makes even a loopback connect hang


class BotAway(Exception):  # noqa: N818 - a state of the bot that the caller waits out
    """No bot responded; `held` is how many seconds it had the request before it closed the connection."""

    def __init__(self, why: str, held: float = 0.0) -> None:
        super().__init__(why)
        self.held = held


class NotHttp(Exception):  # noqa: N818 - the name says what happened
    """Something responded, but not in HTTP."""


@dataclass(frozen=True, slots=True)
class HttpResponse:
    status: int
    body: bytes


async def post(url: str, body: bytes, token: str) -> HttpResponse:
    """Send `body` and wait for the response, with no time limit; cancelling closes the connection immediately.

    Raises `BotAway` if nothing listens there or the connection breaks, and `NotHttp` if the response is not HTTP.
    """
    host, port, path = _parse_url(url)
    # HTTP/1.0: the response is not chunked, and the connection closes after it.
    head = (
        f"POST {path} HTTP/1.0\r\nHost: {host}:{port}\r\nAuthorization: Bearer {token}\r\n"
        f"Content-Type: application/json\r\nContent-Length: {len(body)}\r\n\r\n"
    )
    try:
        async with asyncio.timeout(CONNECT_TIMEOUT):
            reader, writer = await asyncio.open_connection(host, port)
    except OSError as error:  # TimeoutError is one
        raise BotAway(f"no connection to {host}:{port}") from error
    now = asyncio.get_running_loop().time
    sent = now()
    try:
        # Checked after connecting and before sending: the port could have changed hands earlier.
        if not belongs_to_us(host, port):
            raise BotAway(f"{host}:{port} belongs to someone else")
        # Not drained: a refusal can arrive before the whole body is sent, and must be read then.
        writer.write(head.encode("latin-1"))
        writer.write(body)
        return await _read_response(reader)
    except (OSError, EOFError) as error:
        raise BotAway(f"{host}:{port} closed the connection", held=now() - sent) from error
    finally:
        writer.transport.abort()  # close() would first send what is left of a large body


def _parse_url(url: str) -> tuple[str, int, str]:
    try:
        parts = urlsplit(url)
        host, port = parts.hostname, parts.port
    except ValueError as error:
        raise BotAway(f"{url!r} is not an address") from error
    # The token and Claude's input must not leave this machine.
    if parts.scheme != "http" or host != LOOPBACK or port is None:
        raise BotAway(f"{url!r} is not an address on this machine")
    return host, port, parts.path


async def _read_response(reader: StreamReader) -> HttpResponse:
    try:
        head = await reader.readuntil(b"\r\n\r\n")
        status, length = _parse_head(head.decode("latin-1"))
    except (ValueError, asyncio.LimitOverrunError) as error:
        raise NotHttp(str(error)) from error
    return HttpResponse(status, await reader.read() if length is None else await reader.readexactly(length))


def _parse_head(text: str) -> tuple[int, int | None]:
    """Return the status, and the length of the body if it is given; raise `ValueError` for an invalid head."""
    status_line, *fields = text.splitlines()
    version, status, *_ = status_line.split(" ", 2)
    if not version.startswith("HTTP/1."):
        raise ValueError(status_line)
    named = {name.lower(): value for name, _, value in (field.partition(":") for field in fields)}
    length = int(named["content-length"]) if "content-length" in named else None
    if length is not None and length < 0:
        raise ValueError(length)
    return int(status), length
