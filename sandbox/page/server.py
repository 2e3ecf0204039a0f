"""The page's web server: its files, and a socket for each open tab."""

import asyncio
import secrets
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from aiohttp import WSMsgType, web
from pydantic import ValidationError

from sandbox.discord import Discord, DiscordChannel, DiscordUser, Dispatch, PersonCannotError
from sandbox.discord.errors import DiscordRefusal
from sandbox.page.page_requests import PageRequest, page_request
from sandbox.page.page_updates import page_update
from sandbox.page.person_actions import PersonActions

HOST = "127.0.0.1"
STATIC = Path(__file__).parent / "static"
MAX_MESSAGE = 141 * 1024 * 1024  # ten files of 10 MiB in base64, and the JSON around them
IMAGES = frozenset({"image/png", "image/jpeg", "image/gif", "image/webp"})
HEADERS = {
    "Content-Security-Policy": (
        "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self' data:; "
        "base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
    ),
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",  # the address contains the key
    "Cache-Control": "no-store",
}
Handler = Callable[[web.Request], Awaitable[web.StreamResponse]]


@dataclass(frozen=True)
class PageInfo:
    """What the page shows about the sandbox."""

    agent: str
    """A short name for the program that runs as Claude."""
    why: str
    """Why it is not the real `claude`; empty if it is."""
    people: tuple[DiscordUser, ...]
    """The people whom the user can act as, starting with the first."""
    home: DiscordChannel


@dataclass(frozen=True)
class Page:
    """A running page."""

    port: int
    key: str = field(repr=False)
    one_time_keys: set[str] = field(repr=False)

    @property
    def address(self) -> str:
        """The address of the page; whoever has it may use the page."""
        return f"http://{HOST}:{self.port}/{self.key}/"

    def one_time_address(self) -> str:
        """Return an address that works once: other users can read the browser's command line."""
        fresh = secrets.token_urlsafe(24)
        self.one_time_keys.add(fresh)
        return f"http://{HOST}:{self.port}/{fresh}/"


@asynccontextmanager
async def serve(discord: Discord, info: PageInfo, port: int = 0) -> AsyncIterator[Page]:
    """Serve the page inside the block; raise `OSError` if the port can't be used."""
    # The key is in the path: a browser would send a cookie to every program on this host, whatever its port.
    key = secrets.token_urlsafe(24)
    one_time_keys: set[str] = set()
    routes = _PageRoutes(discord, info)
    app = web.Application(middlewares=[_require_key(key, one_time_keys)])
    app.router.add_get(f"/{key}/", routes.index)
    app.router.add_get(f"/{key}/socket", routes.socket)
    app.router.add_get(f"/{key}/attachment/{{id}}", routes.attachment)
    app.router.add_static(f"/{key}/static", STATIC)
    runner = web.AppRunner(app, access_log=None, shutdown_timeout=1.0)
    await runner.setup()
    try:
        await web.TCPSite(runner, HOST, port).start()
        yield Page(runner.addresses[0][1], key, one_time_keys)
    finally:
        await routes.close()
        await runner.cleanup()


def _require_key(key: str, one_time_keys: set[str]) -> Any:
    """Require the key, our own Host and our own Origin: no other page in the browser has all three."""

    @web.middleware
    async def check(request: web.Request, handler: Handler) -> web.StreamResponse:
        port = request.transport.get_extra_info("sockname")[1] if request.transport else 0
        hosts = {f"{HOST}:{port}", f"localhost:{port}"}
        origin = request.headers.get("Origin")
        if request.host not in hosts or (origin is not None and origin not in {f"http://{each}" for each in hosts}):
            raise web.HTTPForbidden(text="This page answers only at its own address.")
        given = request.path.split("/")[1]
        if given in one_time_keys:
            one_time_keys.discard(given)
            raise web.HTTPFound(f"/{key}/", headers={"Cache-Control": "no-store"})
        if not secrets.compare_digest(given.encode(), key.encode()):
            raise web.HTTPForbidden(text="Open the address that the terminal shows. It contains the key.")
        response = await handler(request)
        if not response.prepared:
            for name, value in HEADERS.items():
                response.headers.setdefault(name, value)
        return response

    return check


class _PageRoutes:
    def __init__(self, discord: Discord, info: PageInfo) -> None:
        self.discord = discord
        self.info = info
        self.sockets: set[web.WebSocketResponse] = set()

    async def close(self) -> None:
        for socket in list(self.sockets):
            await socket.close(code=1001)

    async def index(self, _: web.Request) -> web.StreamResponse:
        return web.FileResponse(STATIC / "index.html")

    async def attachment(self, request: web.Request) -> web.StreamResponse:
        number = request.match_info["id"]
        found = self.discord.world.attachments.get(int(number)) if number.isdecimal() else None
        if found is None:
            raise web.HTTPNotFound(text="There is no such file.")
        headers = {"Content-Security-Policy": "sandbox", "Content-Type": found.content_type}
        if found.content_type not in IMAGES:  # an uploaded page must not run as ours
            headers |= {"Content-Disposition": "attachment", "Content-Type": "application/octet-stream"}
        return web.Response(body=found.content, headers=headers)

    async def socket(self, request: web.Request) -> web.StreamResponse:
        if "Origin" not in request.headers:
            raise web.HTTPForbidden(text="Only the page may open a socket.")
        people = {str(each.id): each for each in self.info.people}
        user = people.get(request.query.get("as", ""), self.info.people[0])
        socket = web.WebSocketResponse(max_msg_size=MAX_MESSAGE, heartbeat=20)
        await socket.prepare(request)
        self.sockets.add(socket)
        try:
            with self.discord.world.subscribe(user) as dispatches:
                await socket.send_json(self._with_info({"snapshot": self.discord.world.snapshot(user)}))
                async with asyncio.TaskGroup() as tasks:
                    sending = tasks.create_task(self._send_updates(socket, user, aiter(dispatches)))
                    await self._receive(socket, PersonActions(self.discord, self.discord.person(user)), tasks)
                    sending.cancel()
        except* ConnectionResetError:
            pass  # the tab was closed
        finally:
            self.sockets.discard(socket)
        return socket

    def _with_info(self, update: dict[str, Any]) -> dict[str, Any]:
        if "snapshot" not in update:
            return update
        people = [{"id": str(each.id), "name": each.name} for each in self.info.people]
        about = {
            "agent": self.info.agent,
            "why": self.info.why,
            "scripted": bool(self.info.why),
            "people": people,
            "home": str(self.info.home.id),
        }
        return update | {"about": about}

    async def _send_updates(
        self, socket: web.WebSocketResponse, user: DiscordUser, dispatches: AsyncIterator[Dispatch]
    ) -> None:
        async for dispatch in dispatches:
            if (update := page_update(self.discord.world, user, dispatch)) is not None:
                await socket.send_json(self._with_info(update))

    async def _receive(self, socket: web.WebSocketResponse, actions: PersonActions, tasks: asyncio.TaskGroup) -> None:
        async for message in socket:
            if message.type is not WSMsgType.TEXT:
                continue
            try:
                request = page_request.validate_json(message.data)
            except ValidationError as error:
                await socket.send_json({"error": f"The page sent an invalid request: {error.errors()[0]['msg']}."})
                continue
            tasks.create_task(self._answer(socket, actions, request))

    async def _answer(self, socket: web.WebSocketResponse, actions: PersonActions, request: PageRequest) -> None:
        try:
            reply = await actions.do(request)
        except (PersonCannotError, DiscordRefusal) as refusal:
            reply = {"error": str(refusal)}
        if not socket.closed:
            await socket.send_json({"reply": request.id} | reply)
