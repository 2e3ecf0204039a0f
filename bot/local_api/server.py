"""The endpoint on loopback at which `permission_mcp` asks, and waits for a person."""

import asyncio
import ipaddress
import logging
import os
import resource
import secrets
from collections import Counter
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator, Sequence
from contextlib import asynccontextmanager, contextmanager
from pathlib import Path
from typing import Protocol, TypeVar

from aiohttp import web
from aiohttp.http_exceptions import HttpProcessingError
from pydantic import ValidationError

from bot.errors import BotError
from bot.records import RunRecord
from shared.protocol import ASK_ROUTE, FILE_ROUTE, MAX_BODY, Allow, Deny, FileAnswer, FileRequest, Request, encode

BODY_TIME = 30.0
"""Seconds for a body to come: the longest is 32 MiB, from this very machine."""
IDLE_TIME = 10.0
"""Seconds that a connection may be open without asking for anything."""
MANY_FILES = 65536
MOST_OPEN = 64
"""Requests that one run may have open: what Claude does at the same time is far less, and others must be heard, too."""
TOO_MANY = (
    f"Denied: {MOST_OPEN} requests of this session are open already. Wait until they are answered, then ask again."
)

Wish = TypeVar("Wish", Request, FileRequest)
Handler = Callable[[web.Request], Awaitable[web.StreamResponse]]


class Asked(Protocol):
    """Who answers: the conversations."""

    def run_of(self, token: str) -> RunRecord | None: ...
    async def ask(self, run: RunRecord, request: Request) -> Allow | Deny: ...
    async def send_file(self, run: RunRecord, wish: FileRequest) -> FileAnswer: ...


def refusal(status: int, sentence: str) -> web.Response:
    return web.json_response({"error": sentence}, status=status)


@web.middleware
async def _only_ours(request: web.Request, handler: Handler) -> web.StreamResponse:
    """Refuse what a web page in a browser on this machine could send; every error is one sentence."""
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


def _run_of(asked: Asked, request: web.Request) -> RunRecord | web.Response:
    """Know the run by its token, or say why it is not listened to."""
    scheme, _, token = request.headers.get("Authorization", "").partition(" ")
    run = asked.run_of(token) if scheme == "Bearer" and token.isascii() else None
    if run is None:
        return refusal(401, "The token is not known here.")
    if run.ended_at is not None:
        return refusal(410, "This run of Claude is over; nobody can be asked any more.")
    if request.content_type != "application/json":
        return refusal(415, "The body must be JSON, with Content-Type: application/json.")
    if (request.content_length or 0) > MAX_BODY:
        return refusal(413, f"The body is larger than {MAX_BODY} bytes.")
    return run


async def _heard(request: web.Request, kind: type[Wish]) -> Wish | web.Response:
    """Read what a run wants."""
    try:
        async with asyncio.timeout(BODY_TIME):
            body = await request.read()
        return kind.model_validate_json(body)
    except TimeoutError:
        raise web.HTTPRequestTimeout(reason=f"The body did not come within {BODY_TIME:g} s") from None
    except ValidationError as error:
        return refusal(400, f"The body is not a request: {error.errors()[0]['msg']}.")


def application(asked: Asked, more: Sequence[web.RouteDef] = ()) -> web.Application:
    """Build the endpoint around whoever answers."""

    open_now = Counter[str]()

    async def answered(
        request: web.Request, kind: type[Wish], answer: Callable[[RunRecord, Wish], Awaitable[str]], too_many: str
    ) -> web.Response:
        run = _run_of(asked, request)
        if isinstance(run, web.Response):
            return run
        if open_now[run.id] >= MOST_OPEN:
            return web.Response(text=too_many, content_type="application/json")
        open_now[run.id] += 1
        try:
            wish = await _heard(request, kind)
            if isinstance(wish, web.Response):
                return wish
            return web.Response(text=await answer(run, wish), content_type="application/json")
        finally:
            open_now[run.id] -= 1
            if not open_now[run.id]:
                del open_now[run.id]

    async def decision(run: RunRecord, wish: Request) -> str:
        return encode(await asked.ask(run, wish))

    async def sent(run: RunRecord, wish: FileRequest) -> str:
        return (await asked.send_file(run, wish)).model_dump_json()

    async def ask(request: web.Request) -> web.Response:
        return await answered(request, Request, decision, encode(Deny(message=TOO_MANY)))

    async def send(request: web.Request) -> web.Response:
        return await answered(request, FileRequest, sent, FileAnswer(sent=False, message=TOO_MANY).model_dump_json())

    app = web.Application(client_max_size=MAX_BODY, middlewares=[_only_ours])
    app.router.add_post(ASK_ROUTE, ask)
    app.router.add_post(FILE_ROUTE, send)
    app.add_routes(more)
    return app


@asynccontextmanager
async def serve(
    asked: Asked, address_file: Path, port: int = 0, more: Sequence[web.RouteDef] = ()
) -> AsyncIterator[str]:
    """Listen on loopback inside the block; the address stands in a file that waiting programs read again."""
    # handler_cancellation: whoever stops waiting closes the connection, and its ticket is withdrawn.
    runner = web.AppRunner(
        application(asked, more),
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
                f"Port {port} on 127.0.0.1 can't be used ({error.strerror}); choose another with `port`, or 0 for any."
            ) from None
        address = f"http://127.0.0.1:{runner.addresses[0][1]}"
        _write_private(address_file, address)
        yield address
    finally:
        _remove(address_file)
        await runner.cleanup()


def _quiet() -> logging.Logger:
    """Give aiohttp a log in which bytes that are no HTTP, and who hangs up, leave nothing: anybody here can do both."""
    log = logging.getLogger("bot.local_api.http")
    noise = (HttpProcessingError, ConnectionError)
    log.filters = [lambda record: not (record.exc_info and isinstance(record.exc_info[1], noise))]
    return log


@contextmanager
def owners_token(path: Path) -> Iterator[str]:
    """Keep a new token in a file that only the owner can read, inside the block."""
    token = secrets.token_urlsafe(32)
    _write_private(path, token)
    try:
        yield token
    finally:
        _remove(path)


def _allow_many_files() -> None:
    """Let many connections at once, whoever opens them, not keep Claude's own requests out: 1024 are soon reached."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    most = MANY_FILES if hard == resource.RLIM_INFINITY else min(MANY_FILES, hard)
    if soft != resource.RLIM_INFINITY and soft < most:
        resource.setrlimit(resource.RLIMIT_NOFILE, (most, hard))


def _write_private(path: Path, text: str) -> None:
    """Replace a file at once: a reader sees the old address or the new one, never half of it."""
    fresh = path.with_suffix(".new")
    descriptor = os.open(fresh, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
    with os.fdopen(descriptor, "w", encoding="utf-8") as file:
        file.write(text)
    fresh.replace(path)


def _remove(path: Path) -> None:
    """Leave no address behind: another program may be given this port next."""
    path.unlink(missing_ok=True)
