"""The page's door: its files, and a socket through which one person sees and acts."""

import asyncio
import base64
import binascii
import secrets
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Annotated, Any, Literal

from aiohttp import WSMsgType, web
from pydantic import BaseModel, ConfigDict, Field, TypeAdapter, ValidationError

from sandbox.discord import Answer, Change, Channel, Discord, Message, Modal, Person, PersonCannotError, Upload, User
from sandbox.discord.refused import Refused

HOST = "127.0.0.1"
STATIC = Path(__file__).parent / "static"
MAX_MESSAGE = 40 * 1024 * 1024  # ten files as Discord takes them, in base64
LIVE = frozenset({"MESSAGE_CREATE", "MESSAGE_UPDATE", "MESSAGE_DELETE", "TYPING_START"})
SILENT = frozenset({"INTERACTION_CREATE", "INTERACTION_SUCCESS", "INTERACTION_FAILURE", "INTERACTION_MODAL_CREATE"})
"""The page hears of these in the answer to what it asked."""
IMAGES = frozenset({"image/png", "image/jpeg", "image/gif", "image/webp"})
POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; connect-src 'self'; img-src 'self' data:"
)
Handler = Callable[[web.Request], Awaitable[web.StreamResponse]]


class _Asked(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)
    id: int


class File(BaseModel):
    name: str
    type: str = ""
    content: str


class Write(_Asked):
    do: Literal["write"]
    channel: int
    text: str = ""
    files: tuple[File, ...] = ()


class Click(_Asked):
    do: Literal["click"]
    channel: int
    message: int
    custom_id: str


class Select(_Asked):
    do: Literal["select"]
    channel: int
    message: int
    custom_id: str
    values: tuple[str, ...]


class Submit(_Asked):
    do: Literal["submit"]
    modal: int
    values: dict[str, str | list[str]]


class Command(_Asked):
    do: Literal["command"]
    channel: int
    name: str
    options: dict[str, str | bool | int | float] = {}


class Dismiss(_Asked):
    do: Literal["dismiss"]
    channel: int
    message: int


Asked = Annotated[Write | Click | Select | Submit | Command | Dismiss, Field(discriminator="do")]
_asked: TypeAdapter[Asked] = TypeAdapter(Asked)


@dataclass(frozen=True)
class About:
    """What the page says of itself."""

    agent: str
    people: tuple[User, ...]
    home: Channel


@dataclass(frozen=True)
class Page:
    """A running page."""

    port: int
    key: str = field(repr=False)

    @property
    def address(self) -> str:
        """Where a person opens it; whoever has this may use it."""
        return f"http://{HOST}:{self.port}/?key={self.key}"


@asynccontextmanager
async def serve(discord: Discord, about: About, port: int = 0) -> AsyncIterator[Page]:
    """Show a Discord in the browser inside the block; an `OSError` says that the port is not to be had."""
    key = secrets.token_urlsafe(24)
    door = _Door(discord, about)
    app = web.Application(middlewares=[_only_with(key)])
    app.router.add_get("/", door.index)
    app.router.add_get("/socket", door.socket)
    app.router.add_get("/attachment/{id}", door.attachment)
    app.router.add_static("/static", STATIC)
    runner = web.AppRunner(app, access_log=None, shutdown_timeout=1.0)
    await runner.setup()
    try:
        await web.TCPSite(runner, HOST, port).start()
        yield Page(runner.addresses[0][1], key)
    finally:
        await door.close()
        await runner.cleanup()


def _only_with(key: str) -> Any:
    """Let in who has the key, at this address and from this page: no other site in the same browser has all three."""

    @web.middleware
    async def check(request: web.Request, handler: Handler) -> web.StreamResponse:
        port = request.transport.get_extra_info("sockname")[1] if request.transport else 0
        hosts = {f"{HOST}:{port}", f"localhost:{port}"}
        origin = request.headers.get("Origin")
        if request.host not in hosts or (origin is not None and origin.removeprefix("http://") not in hosts):
            raise web.HTTPForbidden(text="This page answers only at its own address.")
        cookie = f"sandbox_{port}"
        given = request.query.get("key")
        if given is not None and request.path == "/" and secrets.compare_digest(given.encode(), key.encode()):
            answer = web.HTTPFound("/")  # the key leaves the address bar and the history
            answer.set_cookie(cookie, key, httponly=True, samesite="Strict")
            raise answer
        if not secrets.compare_digest(request.cookies.get(cookie, "").encode(), key.encode()):
            raise web.HTTPForbidden(text="Open the address that the terminal shows: it carries the key.")
        response = await handler(request)
        if not response.prepared:
            response.headers.setdefault("Content-Security-Policy", POLICY)
            response.headers["X-Content-Type-Options"] = "nosniff"
            response.headers["Referrer-Policy"] = "no-referrer"
            response.headers["Cache-Control"] = "no-store"
        return response

    return check


class _Door:
    def __init__(self, discord: Discord, about: About) -> None:
        self.discord = discord
        self.about = about
        self.modals: dict[int, tuple[User, Modal]] = {}
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
            raise web.HTTPNotFound
        image = found.content_type in IMAGES
        headers = {"Content-Security-Policy": "sandbox", "Content-Type": found.content_type}
        if not image:  # a page that somebody uploads must not run as ours
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
                await socket.send_json(self._snapshot(user))
                async with asyncio.TaskGroup() as tasks:
                    telling = tasks.create_task(self._tell(socket, user, aiter(changes)))
                    await self._hear(socket, self.discord.person(user), tasks)
                    telling.cancel()
        except* ConnectionResetError:
            pass  # the tab is gone
        finally:
            self.sockets.discard(socket)
        return socket

    def _snapshot(self, user: User) -> dict[str, Any]:
        people = [{"id": str(each.id), "name": each.name} for each in self.about.people]
        about = {"agent": self.about.agent, "people": people, "home": str(self.about.home.id)}
        return {"snapshot": self.discord.world.snapshot(user), "about": about}

    async def _tell(self, socket: web.WebSocketResponse, user: User, changes: AsyncIterator[Change]) -> None:
        async for change in changes:
            if change.event in LIVE:
                await socket.send_json({"event": change.event, "data": change.data})
            elif change.event not in SILENT:  # rare, and of many kinds: the page begins anew
                await socket.send_json(self._snapshot(user))

    async def _hear(self, socket: web.WebSocketResponse, person: Person, tasks: asyncio.TaskGroup) -> None:
        async for message in socket:
            if message.type is not WSMsgType.TEXT:
                continue
            try:
                asked = _asked.validate_json(message.data)
            except ValidationError as error:
                await socket.send_json({"error": str(error)})
                continue
            tasks.create_task(self._answer(socket, person, asked))

    async def _answer(self, socket: web.WebSocketResponse, person: Person, asked: Asked) -> None:
        try:
            outcome = await self._do(person, asked)
        except (PersonCannotError, Refused, binascii.Error) as refusal:
            outcome = {"error": str(refusal)}
        if not socket.closed:
            await socket.send_json({"reply": asked.id} | outcome)

    async def _do(self, person: Person, asked: Asked) -> dict[str, Any]:
        match asked:
            case Write():
                files = [Upload(f.name, base64.b64decode(f.content), f.type or None) for f in asked.files]
                await person.write(self.discord.world.channel(asked.channel), asked.text, files=files)
                return {}
            case Dismiss():
                await person.delete(self._message(person, asked.channel, asked.message))
                return {}
            case Click():
                message = self._message(person, asked.channel, asked.message)
                return self._outcome(person, await person.click(message, asked.custom_id))
            case Select():
                message = self._message(person, asked.channel, asked.message)
                return self._outcome(person, await person.select(message, asked.custom_id, asked.values))
            case Submit():
                user, modal = self.modals.get(asked.modal, (None, None))
                if user is not person.user:
                    raise PersonCannotError("This form is gone.")
                outcome = self._outcome(person, await person.submit(modal, asked.values))
                self.modals.pop(asked.modal, None)
                return outcome
            case Command():
                channel = self.discord.world.channel(asked.channel)
                return self._outcome(person, await person.command(channel, asked.name, **asked.options))

    def _message(self, person: Person, channel: int, message: int) -> Message:
        for each in person.messages(self.discord.world.channel(channel)):
            if each.id == message:
                return each
        raise PersonCannotError("This message is gone.")

    def _outcome(self, person: Person, answer: Answer) -> dict[str, Any]:
        if answer.failed:
            return {"failed": True}
        if answer.modal is not None:
            self.modals[answer.interaction.id] = (person.user, answer.modal)
            return {"modal": answer.modal.data, "modal_id": str(answer.interaction.id)}
        return {}
