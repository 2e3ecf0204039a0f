"""Runs a Discord on loopback; tests can reach all its parts."""

import base64
import secrets
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass

from aiohttp import web

from sandbox.discord.gateway import Gateway
from sandbox.discord.people.person import DiscordPerson
from sandbox.discord.rest.faults import AnswerFaults
from sandbox.discord.rest.rate_limits import RateLimitBuckets
from sandbox.discord.rest.rest_api import MAX_BODY, PREFIX, Judge, RecordedRequest, RestApi
from sandbox.discord.state.entities import DiscordMember, DiscordUser
from sandbox.discord.state.interaction import LIFETIME, PATIENCE
from sandbox.discord.state.interaction_responses import Interactions
from sandbox.discord.state.world import World

HOST = "127.0.0.1"


@dataclass(frozen=True)
class TimeLimits:
    """The lengths of Discord's time limits."""

    speed: float = 1.0
    """Rate limit windows are shorter by this factor; `math.inf` turns the limits off."""
    patience: float = PATIENCE
    """Seconds that the bot has for its first response to an interaction."""
    lifetime: float = LIFETIME
    """Seconds until an interaction's token expires."""


@dataclass(frozen=True)
class Discord:
    """A running server."""

    world: World
    interactions: Interactions
    gateway: Gateway
    rest: RestApi
    url: str

    @property
    def rest_url(self) -> str:
        return self.url + PREFIX

    @property
    def token(self) -> str:
        return self.rest.token

    @property
    def application_id(self) -> int:
        return self.world.application.id

    @property
    def requests(self) -> list[RecordedRequest]:
        """Every request so far, in order."""
        return self.rest.requests

    @property
    def violations(self) -> list[str]:
        """Requests that a correct bot would not have sent, as sentences."""
        return self.rest.violations

    @property
    def faults(self) -> AnswerFaults:
        return self.rest.faults

    def person(self, who: DiscordUser | DiscordMember) -> DiscordPerson:
        """Return a person who acts as this user."""
        user = who.user if isinstance(who, DiscordMember) else who
        return DiscordPerson(self.world, self.interactions, user)

    def revoke_token(self) -> None:
        """Reset the bot's token, as its owner can; the old one is refused from then on."""
        self.rest.token = self.gateway.token = new_token(self.world)
        self.gateway.close_with(4004)


def new_token(world: World) -> str:
    """Return a token in the form that libraries check: the bot's id, a timestamp, a secret."""
    identity = base64.urlsafe_b64encode(str(world.bot.id).encode()).decode().rstrip("=")
    return f"{identity}.{secrets.token_urlsafe(4)}.{secrets.token_urlsafe(24)}"


@asynccontextmanager
async def serve(
    *,
    port: int = 0,
    world: World | None = None,
    judge: Judge | None = None,
    pace: TimeLimits | None = None,
    token: str | None = None,
) -> AsyncIterator[Discord]:
    """Run a Discord inside the block; pass an old `world` and `token` to continue where it stopped."""
    world, pace = world or World(), pace or TimeLimits()
    interactions = Interactions(world, patience=pace.patience, lifetime=pace.lifetime)
    gateway = Gateway(world)
    rest = RestApi(world, interactions, gateway, RateLimitBuckets(pace.speed))
    rest.judge = judge
    rest.token = gateway.token = token or new_token(world)
    app = web.Application(client_max_size=MAX_BODY)
    app.add_routes(rest.routes())
    app.router.add_get("/gateway", gateway.serve)
    app.router.add_get("/gateway/", gateway.serve)
    app.router.add_get("/attachments/{channel_id}/{attachment_id}/{name}", rest.attachment)
    runner = web.AppRunner(app, access_log=None, shutdown_timeout=1.0)
    await runner.setup()
    try:
        await web.TCPSite(runner, HOST, port).start()
        port = runner.addresses[0][1]
        world.base_url = f"http://{HOST}:{port}"
        gateway.url = f"ws://{HOST}:{port}/gateway"
        yield Discord(world, interactions, gateway, rest, world.base_url)
    finally:
        interactions.close()
        await gateway.close()
        await runner.cleanup()
