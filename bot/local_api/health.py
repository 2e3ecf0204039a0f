"""The health route, for a service manager or a monitor: 200 while the bot is connected to Discord, otherwise 503."""

from collections.abc import Callable

from aiohttp import web

from bot.local_api.owner_protocol import HEALTH_ROUTE, Health
from bot.local_api.responses import json_response


def route(health: Callable[[], Health]) -> web.RouteDef:
    """Build the route. It needs no token and reveals nothing about anyone's work."""

    async def answer(_: web.Request) -> web.Response:
        now = health()
        return json_response(now.model_dump_json(), 200 if now.ok else 503)

    return web.get(HEALTH_ROUTE, answer)
