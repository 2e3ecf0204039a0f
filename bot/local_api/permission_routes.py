"""The routes for `permission_mcp`, which asks for permission on behalf of a run and waits."""

import asyncio
from collections import Counter
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from typing import Protocol, TypeVar

from aiohttp import web
from pydantic import ValidationError

from bot.local_api.responses import json_response, refusal
from bot.local_api.tokens import refuse_token, token_of
from bot.records import RunRecord
from shared.protocol import ASK_ROUTE, FILE_ROUTE, MAX_BODY, Allow, Deny, FileAnswer, FileRequest, Request, encode

BODY_TIME = 30.0
"""Seconds to receive a body: the largest is 32 MiB, from this machine."""
MAX_OPEN = 64
"""Requests that one run may have open: Claude needs far fewer, and must not block other runs."""
TOO_MANY = (
    f"Denied: {MAX_OPEN} requests of this session are already open. Wait until they are answered, then ask again."
)

Body = TypeVar("Body", Request, FileRequest)


class RequestAnswerer(Protocol):
    """Answers the requests of a run; the conversations do."""

    def run_of(self, token: str) -> RunRecord | None: ...
    async def ask(self, run: RunRecord, request: Request) -> Allow | Deny: ...
    async def send_file(self, run: RunRecord, request: FileRequest) -> FileAnswer: ...


def routes(answerer: RequestAnswerer) -> list[web.RouteDef]:
    """Build the routes."""
    permission_routes = _PermissionRoutes(answerer)
    return [
        web.post(ASK_ROUTE, permission_routes.ask),
        web.post(FILE_ROUTE, permission_routes.send_file),
    ]


@dataclass(frozen=True, slots=True)
class _PermissionRoutes:
    answerer: RequestAnswerer
    open: Counter[str] = field(default_factory=Counter)
    """How many requests each run has open."""

    async def ask(self, request: web.Request) -> web.Response:
        async def decision(run: RunRecord, asked: Request) -> str:
            return encode(await self.answerer.ask(run, asked))

        return await self._answer(request, Request, decision, encode(Deny(message=TOO_MANY)))

    async def send_file(self, request: web.Request) -> web.Response:
        async def sent(run: RunRecord, asked: FileRequest) -> str:
            return (await self.answerer.send_file(run, asked)).model_dump_json()

        too_many = FileAnswer(sent=False, message=TOO_MANY).model_dump_json()
        return await self._answer(request, FileRequest, sent, too_many)

    async def _answer(
        self, request: web.Request, kind: type[Body], answer: Callable[[RunRecord, Body], Awaitable[str]], too_many: str
    ) -> web.Response:
        run = self._run_of(request)
        if isinstance(run, web.Response):
            return run
        if self.open[run.id] >= MAX_OPEN:
            return json_response(too_many)
        self.open[run.id] += 1
        try:
            body = await _body(request, kind)
            return body if isinstance(body, web.Response) else json_response(await answer(run, body))
        finally:
            self.open[run.id] -= 1
            if not self.open[run.id]:
                del self.open[run.id]

    def _run_of(self, request: web.Request) -> RunRecord | web.Response:
        """Return the run with the request's token, or a refusal."""
        token = token_of(request)
        run = self.answerer.run_of(token) if token.isascii() else None
        if run is None:
            return refuse_token("The token is not valid.")
        if run.ended_at is not None:
            return refusal(410, "This run of Claude has ended, so no one can be asked any more.")
        if request.content_type != "application/json":
            return refusal(415, "The body must be JSON, with Content-Type: application/json.")
        if (request.content_length or 0) > MAX_BODY:
            return refusal(413, f"The body is larger than {MAX_BODY} bytes.")
        return run


async def _body(request: web.Request, kind: type[Body]) -> Body | web.Response:
    """Read the body of a request."""
    try:
        async with asyncio.timeout(BODY_TIME):
            body = await request.read()
        return kind.model_validate_json(body)
    except TimeoutError:
        raise web.HTTPRequestTimeout(reason=f"The body did not arrive within {BODY_TIME:g} s") from None
    except ValidationError as error:
        return refusal(400, f"The body is not a request: {error.errors()[0]['msg']}.")
