"""The page's door: its files, and a socket through which one person sees and acts."""

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
from sandbox.page.page_requests import PageRequest
from sandbox.page.page_requests import page_request as decoded
from sandbox.page.page_updates import page_update
from sandbox.page.person_actions import PersonActions

HOST = "127.0.0.1"
STATIC = Path(__file__).parent / "static"
MAX_MESSAGE = 141 * 1024 * 1024  # ten files of 10 MiB in base64, and what stands around them
IMAGES = frozenset({"image/png", "image/jpeg", "image/gif", "image/webp"})
HEADERS = {
    "Content-Security-Policy": (
        "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self' data:; "
        "base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
    ),
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",  # the address holds the key
    "Cache-Control": "no-store",
}
Handler = Callable[[web.Request], Awaitable[web.StreamResponse]]


@dataclass(frozen=True)
class PageInfo:
    """What the page says of itself."""

    agent: str
    """Who talks, in a few words."""
    why: str
    """Why it is not the real one; empty when it is."""
    people: tuple[DiscordUser, ...]
    """Those whom one can be; the first one at the beginning."""
    home: DiscordChannel


@dataclass(frozen=True)
class Page:
    """A running page."""

    port: int
    key: str = field(repr=False)
    invitations: set[str] = field(repr=False)

    @property
    def address(self) -> str:
        """Where a person opens it; whoever has this may use it."""
        return f"http://{HOST}:{self.port}/{self.key}/"

    def invitation(self) -> str:
        """Give an address that leads there once: every user of the machine can read it where a browser is started."""
        fresh = secrets.token_urlsafe(24)
        self.invitations.add(fresh)
        return f"http://{HOST}:{self.port}/{fresh}/"


@asynccontextmanager
async def serve(discord: Discord, about: PageInfo, port: int = 0) -> AsyncIterator[Page]:
    """Show a Discord in the browser inside the block; an `OSError` says that the port is not to be had."""
    # The key is part of the path: a cookie would be sent to every other program on this host, whatever its port.
    key = secrets.token_urlsafe(24)
    invitations: set[str] = set()
    door = _PageRoutes(discord, about)
    app = web.Application(middlewares=[_only_with(key, invitations)])
    app.router.add_get(f"/{key}/", door.index)
    app.router.add_get(f"/{key}/socket", door.socket)
    app.router.add_get(f"/{key}/attachment/{{id}}", door.attachment)
    app.router.add_static(f"/{key}/static", STATIC)
    runner = web.AppRunner(app, access_log=None, shutdown_timeout=1.0)
    await runner.setup()
    try:
        await web.TCPSite(runner, HOST, port).start()
        yield Page(runner.addresses[0][1], key, invitations)
    finally:
        await door.close()
        await runner.cleanup()


def _only_with(key: str, invitations: set[str]) -> Any:
    """Let in who has the key, at this address and from this page: no other page in the same browser has all three."""

    @web.middleware
    async def check(request: web.Request, handler: Handler) -> web.StreamResponse:
        port = request.transport.get_extra_info("sockname")[1] if request.transport else 0
        hosts = {f"{HOST}:{port}", f"localhost:{port}"}
        origin = request.headers.get("Origin")
        if request.host not in hosts or (origin is not None and origin not in {f"http://{each}" for each in hosts}):
            raise web.HTTPForbidden(text="This page answers only at its own address.")
        given = request.path.split("/")[1]
        if given in invitations:
            invitations.discard(given)
            raise web.HTTPFound(f"/{key}/", headers={"Cache-Control": "no-store"})
        if not secrets.compare_digest(given.encode(), key.encode()):
            raise web.HTTPForbidden(text="Open the address that the terminal shows: it carries the key.")
        response = await handler(request)
        if not response.prepared:
            for name, value in HEADERS.items():
                response.headers.setdefault(name, value)
        return response

    return check


class _PageRoutes:
    def __init__(self, discord: Discord, about: PageInfo) -> None:
        self.discord = discord
        self.about = about
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
        if found.content_type not in IMAGES:  # a page that somebody uploads must not run as ours
            headers |= {"Content-Disposition": "attachment", "Content-Type": "application/octet-stream"}
        return web.Response(body=found.content, headers=headers)

    async def socket(self, request: web.Request) -> web.StreamResponse:
        if "Origin" not in request.headers:
            raise web.HTTPForbidden(text="A socket is opened by the page.")
        people = {str(each.id): each for each in self.about.people}
        user = people.get(request.query.get("as", ""), self.about.people[0])
        socket = web.WebSocketResponse(max_msg_size=MAX_MESSAGE, heartbeat=20)
        await socket.prepare(request)
        self.sockets.add(socket)
        try:
            with self.discord.world.subscribe(user) as changes:
                await socket.send_json(self._told({"snapshot": self.discord.world.snapshot(user)}))
                async with asyncio.TaskGroup() as tasks:
                    telling = tasks.create_task(self._tell(socket, user, aiter(changes)))
                    await self._hear(socket, PersonActions(self.discord, self.discord.person(user)), tasks)
                    telling.cancel()
        except* ConnectionResetError:
            pass  # the tab is gone
        finally:
            self.sockets.discard(socket)
        return socket

    def _told(self, what: dict[str, Any]) -> dict[str, Any]:
        if "snapshot" not in what:
            return what
        people = [{"id": str(each.id), "name": each.name} for each in self.about.people]
        about = {
            "agent": self.about.agent,
            "why": self.about.why,
            "scripted": bool(self.about.why),
            "people": people,
            "home": str(self.about.home.id),
        }
        return what | {"about": about}

    async def _tell(self, socket: web.WebSocketResponse, user: DiscordUser, changes: AsyncIterator[Dispatch]) -> None:
        async for change in changes:
            if (what := page_update(self.discord.world, user, change)) is not None:
                await socket.send_json(self._told(what))

    async def _hear(self, socket: web.WebSocketResponse, acting: PersonActions, tasks: asyncio.TaskGroup) -> None:
        async for message in socket:
            if message.type is not WSMsgType.TEXT:
                continue
            try:
                asked = decoded.validate_json(message.data)
            except ValidationError as error:
                await socket.send_json({"error": f"The page asked for something odd: {error.errors()[0]['msg']}."})
                continue
            tasks.create_task(self._answer(socket, acting, asked))

    async def _answer(self, socket: web.WebSocketResponse, acting: PersonActions, asked: PageRequest) -> None:
        try:
            outcome = await acting.do(asked)
        except (PersonCannotError, DiscordRefusal) as refusal:
            outcome = {"error": str(refusal)}
        if not socket.closed:
            await socket.send_json({"reply": asked.id} | outcome)
