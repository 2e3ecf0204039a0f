"""The routes for the owner's commands; they need the token that only the owner can read."""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from typing import TypeVar

from aiohttp import web
from pydantic import BaseModel, ValidationError

from bot.errors import BotError
from bot.local_api import owner_protocol as protocol
from bot.local_api.owner_commands import OwnerCommands
from bot.local_api.responses import json_response, refusal
from bot.local_api.tokens import is_same, refuse_token, token_of

Body = TypeVar("Body", bound=BaseModel)
Handler = Callable[[web.Request], Awaitable[web.StreamResponse]]


def routes(commands: OwnerCommands, token: str) -> list[web.RouteDef]:
    """Build the routes; all of them need the owner's token."""
    owner_routes = _OwnerRoutes(commands, token)
    return [
        web.get(protocol.SESSIONS_ROUTE, owner_routes.owner_only(owner_routes.sessions)),
        web.post(protocol.SAY_ROUTE, owner_routes.owner_only(owner_routes.say)),
        web.post(protocol.FOLLOW_ROUTE, owner_routes.owner_only(owner_routes.follow)),
        web.post(protocol.STOP_ROUTE, owner_routes.owner_only(owner_routes.stop)),
        web.post(protocol.RELOAD_ROUTE, owner_routes.owner_only(owner_routes.reload)),
        web.post(protocol.RESTART_ROUTE, owner_routes.owner_only(owner_routes.restart)),
    ]


@dataclass(frozen=True, slots=True)
class _OwnerRoutes:
    commands: OwnerCommands
    token: str = field(repr=False)

    def owner_only(self, handler: Handler) -> Handler:
        """Require the owner's token, and answer errors with one sentence."""

        async def guarded(request: web.Request) -> web.StreamResponse:
            if not is_same(token_of(request), self.token):
                return refuse_token("The token is not the owner's.")
            try:
                return await handler(request)
            except BotError as error:
                return refusal(409, str(error))

        return guarded

    async def sessions(self, _: web.Request) -> web.Response:
        return _json(protocol.SessionsAnswer(sessions=tuple(self.commands.sessions())))

    async def say(self, request: web.Request) -> web.Response:
        body = await _body(request, protocol.SayRequest)
        return _json(await self.commands.say(body.project, body.prompt))

    async def follow(self, request: web.Request) -> web.StreamResponse:
        body = await _body(request, protocol.FollowRequest)
        response = web.StreamResponse(headers={"Content-Type": "application/x-ndjson"})
        async for progress in self.commands.follow(body.thread, body.prompt):
            if not response.prepared:
                await response.prepare(request)
            await response.write(progress.model_dump_json().encode() + b"\n")
        return response

    async def stop(self, request: web.Request) -> web.Response:
        body = await _body(request, protocol.StopRequest)
        return _json(protocol.StopAnswer(stopped=tuple(await self.commands.stop(body.name))))

    async def reload(self, request: web.Request) -> web.Response:
        body = await _body(request, protocol.ReloadRequest)
        return _json(await self.commands.reload(body.take))

    async def restart(self, request: web.Request) -> web.Response:
        answer = _json(await self.commands.may_restart())
        await answer.prepare(request)
        await answer.write_eof()  # before the restart cuts every connection
        self.commands.restart()
        return answer


async def _body(request: web.Request, kind: type[Body]) -> Body:
    if request.content_type != "application/json":
        raise web.HTTPUnsupportedMediaType(reason="The body must be JSON, with Content-Type: application/json")
    try:
        return kind.model_validate_json(await request.read())
    except ValidationError as error:
        raise web.HTTPBadRequest(reason=f"The body is not valid: {error.errors()[0]['type']}") from None


def _json(answer: BaseModel) -> web.Response:
    return json_response(answer.model_dump_json())
