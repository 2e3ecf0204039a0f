"""The routes for the owner at the terminal: they need the token that only the owner can read."""

import hmac
from collections.abc import AsyncIterator, Awaitable, Callable
from dataclasses import dataclass, field
from typing import Protocol, TypeVar

from aiohttp import web
from pydantic import BaseModel, ValidationError

from bot.errors import BotError
from bot.local_api import owner_protocol

Wish = TypeVar("Wish", bound=BaseModel)
Handler = Callable[[web.Request], Awaitable[web.StreamResponse]]


class Asked(Protocol):
    """Who answers: the office."""

    def health(self) -> owner_protocol.Health: ...
    def sessions(self) -> list[owner_protocol.Session]: ...
    async def say(self, project: str, text: str) -> owner_protocol.Said: ...
    def follow(self, thread: int, prompt: int) -> AsyncIterator[owner_protocol.Piece]: ...
    async def stop(self, name: str) -> list[owner_protocol.Stopped]: ...
    async def reload(self, take: str) -> owner_protocol.Reloaded: ...
    async def may_restart(self) -> owner_protocol.Restarting: ...
    def restart(self) -> None: ...


def routes(asked: Asked, token: str) -> list[web.RouteDef]:
    """Build the routes around whoever answers."""
    counter = _Counter(asked, token)
    return [
        web.get(owner_protocol.HEALTH_ROUTE, counter.health),
        web.get(owner_protocol.SESSIONS_ROUTE, counter.owner(counter.sessions)),
        web.post(owner_protocol.SAY_ROUTE, counter.owner(counter.say)),
        web.post(owner_protocol.FOLLOW_ROUTE, counter.owner(counter.follow)),
        web.post(owner_protocol.STOP_ROUTE, counter.owner(counter.stop)),
        web.post(owner_protocol.RELOAD_ROUTE, counter.owner(counter.reload)),
        web.post(owner_protocol.RESTART_ROUTE, counter.owner(counter.restart)),
    ]


@dataclass(frozen=True, slots=True)
class _Counter:
    asked: Asked
    token: str = field(repr=False)

    def owner(self, handler: Handler) -> Handler:
        """Let only the owner through; what can't be done is one sentence."""

        async def guarded(request: web.Request) -> web.StreamResponse:
            scheme, _, given = request.headers.get("Authorization", "").partition(" ")
            right = hmac.compare_digest(given.encode("utf-8", "surrogateescape"), self.token.encode())
            if scheme != "Bearer" or not right:
                return _refusal(401, "The token is not the owner's.")
            try:
                return await handler(request)
            except BotError as error:
                return _refusal(409, str(error))

        return guarded

    async def health(self, _: web.Request) -> web.Response:
        found = self.asked.health()
        return _json(found, status=200 if found.ok else 503)

    async def sessions(self, _: web.Request) -> web.Response:
        return _json(owner_protocol.Sessions(sessions=tuple(self.asked.sessions())))

    async def say(self, request: web.Request) -> web.Response:
        wish = await _wish(request, owner_protocol.SayWish)
        return _json(await self.asked.say(wish.project, wish.prompt))

    async def follow(self, request: web.Request) -> web.StreamResponse:
        wish = await _wish(request, owner_protocol.FollowWish)
        response = web.StreamResponse(headers={"Content-Type": "application/x-ndjson"})
        async for piece in self.asked.follow(wish.thread, wish.prompt):
            if not response.prepared:
                await response.prepare(request)
            await response.write(piece.model_dump_json().encode() + b"\n")
        return response

    async def stop(self, request: web.Request) -> web.Response:
        wish = await _wish(request, owner_protocol.StopWish)
        return _json(owner_protocol.StopAnswer(stopped=tuple(await self.asked.stop(wish.name))))

    async def reload(self, request: web.Request) -> web.Response:
        wish = await _wish(request, owner_protocol.ReloadWish)
        return _json(await self.asked.reload(wish.take))

    async def restart(self, request: web.Request) -> web.Response:
        answer = _json(await self.asked.may_restart())
        await answer.prepare(request)
        await answer.write_eof()  # before the restart cuts every connection
        self.asked.restart()
        return answer


async def _wish(request: web.Request, kind: type[Wish]) -> Wish:
    if request.content_type != "application/json":
        raise web.HTTPUnsupportedMediaType(reason="The body must be JSON, with Content-Type: application/json")
    try:
        return kind.model_validate_json(await request.read())
    except ValidationError as error:
        raise web.HTTPBadRequest(reason=f"The body is not understood: {error.errors()[0]['type']}") from None


def _refusal(status: int, sentence: str) -> web.Response:
    return web.json_response({"error": sentence}, status=status)


def _json(answer: BaseModel, status: int = 200) -> web.Response:
    return web.Response(text=answer.model_dump_json(), content_type="application/json", status=status)
