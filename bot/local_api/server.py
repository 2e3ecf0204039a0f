"""Serves the endpoint on loopback and writes its address to a file."""

import ipaddress
import logging
import resource
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextlib import asynccontextmanager
from pathlib import Path

from aiohttp import web
from aiohttp.http_exceptions import HttpProcessingError

from bot.errors import BotError
from bot.local_api.responses import refusal
from bot.private_files import replace_file
from shared.protocol import MAX_BODY

IDLE_TIME = 10.0
"""Seconds that a connection may be idle."""
MANY_FILES = 65536
Handler = Callable[[web.Request], Awaitable[web.StreamResponse]]


@web.middleware
async def _only_from_loopback(request: web.Request, handler: Handler) -> web.StreamResponse:
    """Refuse requests that a web page in a browser could send; answer every error with one sentence."""
    if not _is_loopback(request.headers.get("Host", "")) or "Origin" in request.headers:
        return refusal(403, "This endpoint is for claude-discord's own programs on this machine.")
    try:
        return await handler(request)
    except web.HTTPRequestEntityTooLarge:
        return refusal(413, f"The body is larger than {MAX_BODY} bytes.")
    except web.HTTPException as error:
        return refusal(error.status, f"{error.reason}.")


def _is_loopback(host: str) -> bool:
    name = host.rsplit(":", 1)[0].strip("[]")
    if name == "localhost":
        return True
    try:
        return ipaddress.ip_address(name).is_loopback
    except ValueError:
        return False


def _application(routes: Sequence[web.RouteDef]) -> web.Application:
    app = web.Application(client_max_size=MAX_BODY, middlewares=[_only_from_loopback])
    app.add_routes(routes)
    return app


@asynccontextmanager
async def serve(routes: Sequence[web.RouteDef], address_file: Path, port: int = 0) -> AsyncIterator[str]:
    """Listen on loopback inside the block; waiting programs read the address from the file."""
    # handler_cancellation: a client that stops waiting closes the connection, and its ticket is withdrawn.
    runner = web.AppRunner(
        _application(routes),
        handler_cancellation=True,
        access_log=None,
        shutdown_timeout=1.0,
        keepalive_timeout=IDLE_TIME,
        lingering_time=1.0,
        logger=_quiet(),
    )
    _allow_many_files()
    await runner.setup()
    try:
        site = web.TCPSite(runner, "127.0.0.1", port)
        try:
            await site.start()
        except OSError as error:
            raise BotError(
                f"Port {port} on 127.0.0.1 can't be used ({error.strerror}). Choose another with `port`, or 0 for any."
            ) from None
        address = f"http://127.0.0.1:{runner.addresses[0][1]}"
        replace_file(address_file, address)
        yield address
    finally:
        _forget_address(address_file)
        await runner.cleanup()


def _quiet() -> logging.Logger:
    """Return a logger for aiohttp without malformed requests and broken connections, which any program can cause."""
    log = logging.getLogger("bot.local_api.http")
    noise = (HttpProcessingError, ConnectionError)
    log.filters = [lambda record: not (record.exc_info and isinstance(record.exc_info[1], noise))]
    return log


def _allow_many_files() -> None:
    """Raise the limit on open files, so that many connections don't block Claude's requests."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    most = MANY_FILES if hard == resource.RLIM_INFINITY else min(MANY_FILES, hard)
    if soft != resource.RLIM_INFINITY and soft < most:
        resource.setrlimit(resource.RLIMIT_NOFILE, (most, hard))


def _forget_address(address_file: Path) -> None:
    address_file.unlink(missing_ok=True)  # another program may use the port by then
