"""The REST API's server, which authorizes, limits, answers and records every request."""

import asyncio
import json
import re
import secrets
import time
import traceback
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from aiohttp import BodyPartReader, web

from sandbox.discord import errors
from sandbox.discord.errors import DiscordRefusal
from sandbox.discord.gateway import Gateway
from sandbox.discord.rest.api_request import ApiRequest, RateLimited, Route
from sandbox.discord.rest.faults import (
    AnswerFault,
    AnswerFaults,
    DroppedConnection,
    ErrorAnswer,
    HeldAnswer,
    SlowAnswer,
)
from sandbox.discord.rest.rate_limits import RateLimitBuckets
from sandbox.discord.rest.routes import ROUTES
from sandbox.discord.state.entities import Json, Upload
from sandbox.discord.state.interaction_responses import Interactions
from sandbox.discord.state.world import World

PREFIX = "/api/v10"
MAX_BODY = 110 * 1024 * 1024  # ten files of ten MiB, and the form around them
_FILE = re.compile(r"files\[(\d+)\]")


@dataclass(frozen=True)
class RecordedRequest:
    """A request as it arrived, and its answer."""

    method: str
    template: str
    """The path as Discord documents it: `/channels/{channel_id}/messages`."""
    path: str
    query: dict[str, str]
    body: Any
    files: tuple[str, ...]
    status: int
    answer: Any
    at: float


Judge = Callable[[RecordedRequest], list[str]]


@dataclass(frozen=True)
class _Reply:
    status: int
    body: Any = None
    headers: dict[str, str] = field(default_factory=dict)


class RestApi:
    """Answers the bot's requests, and records those that a correct bot would not send."""

    def __init__(self, world: World, interactions: Interactions, gateway: Gateway, rates: RateLimitBuckets) -> None:
        self.world = world
        self.interactions = interactions
        self.gateway = gateway
        self.rates = rates
        self.faults = AnswerFaults()
        self.token = ""
        self.judge: Judge | None = None
        self.requests: list[RecordedRequest] = []
        self.violations: list[str] = []

    def routes(self) -> list[web.RouteDef]:
        known = [web.route(each.method, PREFIX + each.template, self._answering(each)) for each in ROUTES]
        return [*known, web.route("*", "/api/{tail:.*}", self._unknown)]

    async def attachment(self, request: web.Request) -> web.Response:
        """Serve an uploaded file without a token, as Discord's CDN does."""
        number = request.match_info["attachment_id"]
        found = self.world.attachments.get(int(number)) if number.isdigit() else None
        if found is None:
            return web.Response(status=404, text="This content is no longer available.")
        disposition = {"Content-Disposition": "attachment", "X-Content-Type-Options": "nosniff"}
        kind = found.content_type.partition(";")[0]
        return web.Response(body=found.content, content_type=kind, headers=disposition)

    async def _unknown(self, request: web.Request) -> web.Response:
        body, files = await _read(request)
        reply = _Reply(404, {"message": "404: Not Found", "code": 0})
        self._record(request, request.path.removeprefix(PREFIX), (body, files), reply)
        self.violations.append(f"{request.method} {request.path}: the sandbox has no such route")
        return web.json_response(reply.body, status=reply.status)

    def _answering(self, route: Route) -> Callable[[web.Request], Any]:
        async def answer(request: web.Request) -> web.Response:
            fault = self.faults.next_for(route.method, route.template)
            await _delay(fault)
            read: tuple[Any, dict[int, Upload]] = (None, {})
            try:
                read = await _read(request)
                match fault:
                    case ErrorAnswer(after=False):
                        reply = _failure(fault)
                    case DroppedConnection(after=False):
                        return _cut(request)
                    case _:
                        reply = self._reply(request, route, *read)
            except DiscordRefusal as refusal:
                reply = _Reply(refusal.status, refusal.body())
            self._record(request, route.template, read, reply)
            match fault:
                case ErrorAnswer(after=True):
                    reply = _failure(fault)
                case DroppedConnection(after=True):
                    return _cut(request)
            if reply.status == 204:
                return web.Response(status=204, headers=reply.headers)
            return web.json_response(reply.body, status=reply.status, headers=reply.headers)

        return answer

    def _reply(self, request: web.Request, route: Route, payload: Any, files: dict[int, Upload]) -> _Reply:
        path = dict(request.match_info)
        headers: dict[str, str] = {}
        try:
            if route.authorized:
                self._authorize(request)
            verdict = self.rates.admit(route.method, route.template, path)
            headers = verdict.headers
            if verdict.refusal:
                return _Reply(429, verdict.refusal, headers)
            query = dict(request.query)
            call = ApiRequest(self.world, self.interactions, self.gateway, self.rates, path, query, payload, files)
            body = route.answer(call)
        except DiscordRefusal as refusal:
            return _Reply(refusal.status, refusal.body(), headers)
        except RateLimited as limit:
            return _Reply(429, limit.body, headers | limit.headers)
        except Exception:  # noqa: BLE001 - an error in the sandbox itself, which a test must see
            self.violations.append(f"The sandbox failed at {route.method} {route.template}:\n{traceback.format_exc()}")
            return _Reply(500, {"message": "500: Internal Server Error", "code": 0}, headers)
        return _Reply(route.status if body is not None else 204, body, headers)

    def _authorize(self, request: web.Request) -> None:
        scheme, _, token = request.headers.get("Authorization", "").partition(" ")
        if scheme != "Bot" or not secrets.compare_digest(token, self.token):
            raise errors.unauthorized()

    def _record(self, request: web.Request, template: str, read: tuple[Any, dict[int, Upload]], reply: _Reply) -> None:
        payload, files = read
        recorded = RecordedRequest(
            method=request.method,
            template=template,
            path=request.path.removeprefix(PREFIX),
            query=dict(request.query),
            body=payload,
            files=tuple(each.name for each in files.values()),
            status=reply.status,
            answer=reply.body,
            at=time.time(),
        )
        self.requests.append(recorded)
        what = f"{recorded.method} {recorded.path}"
        if 400 <= reply.status < 500 and DiscordRefusal(reply.status, reply.body.get("code", 0), "").by_limit:
            self.violations.append(f"{what}: {json.dumps(reply.body)}")
        if self.judge is not None:
            self.violations += [f"{what}: {complaint}" for complaint in self.judge(recorded)]


async def _read(request: web.Request) -> tuple[Any, dict[int, Upload]]:
    """Parse a body: JSON, or a form with `payload_json` and files."""
    if not request.can_read_body:
        return None, {}
    if not request.content_type.startswith("multipart/"):
        return _json(await request.read()), {}
    payload: Any = None
    files: dict[int, Upload] = {}
    async for part in await request.multipart():
        if not isinstance(part, BodyPartReader):
            continue
        content = bytes(await part.read(decode=True))
        if part.name == "payload_json":
            payload = _json(content)
        elif match := _FILE.fullmatch(part.name or ""):
            kind = part.headers.get("Content-Type")
            files[int(match[1])] = Upload(part.filename or "unknown", content, kind)
    return payload, files


def _json(content: bytes) -> Any:
    try:
        return json.loads(content) if content else None
    except ValueError as error:
        raise errors.invalid_json() from error


async def _delay(fault: AnswerFault | None) -> None:
    match fault:
        case SlowAnswer(seconds=seconds):
            await asyncio.sleep(seconds)
        case HeldAnswer(released=released):
            await released.wait()


def _failure(fault: ErrorAnswer) -> _Reply:
    if fault.status == 429:
        wait = fault.retry_after if fault.retry_after is not None else 1.0
        body: Json = {"message": "You are being rate limited.", "retry_after": wait, "global": False}
        return _Reply(429, body, {"Retry-After": str(wait), "X-RateLimit-Scope": "shared"})
    return _Reply(fault.status, {"message": f"{fault.status}: sandbox fault", "code": 0})


def _cut(request: web.Request) -> web.Response:
    if request.transport is not None:
        request.transport.abort()
    return web.Response(status=500)
