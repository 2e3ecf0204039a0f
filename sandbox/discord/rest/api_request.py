"""A REST request from the bot, with methods that find the channel, message, guild or user in its path."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from sandbox.discord import errors
from sandbox.discord.errors import invalid
from sandbox.discord.gateway import Gateway
from sandbox.discord.rest import request_bodies
from sandbox.discord.rest.rate_limits import RateLimitBuckets
from sandbox.discord.state.entities import DiscordChannel, DiscordMessage, DiscordUser, Guild, Json, Permission, Upload
from sandbox.discord.state.interaction_responses import Interactions
from sandbox.discord.state.world import World


@dataclass(frozen=True)
class ApiRequest:
    world: World
    interactions: Interactions
    gateway: Gateway
    rates: RateLimitBuckets
    path: Mapping[str, str]
    query: Mapping[str, str]
    payload: Any = None
    files: dict[int, Upload] = field(default_factory=dict)

    @property
    def me(self) -> DiscordUser:
        return self.world.bot

    @property
    def body(self) -> Json:
        if self.payload is None:
            return {}
        if not isinstance(self.payload, dict):
            raise invalid((), "MODEL_TYPE_CONVERT", "Only dictionaries may be used in a ModelType")
        return self.payload

    def number(self, name: str) -> int:
        return request_bodies.snowflake(self.path[name], name)

    def channel(self, *permissions: Permission) -> DiscordChannel:
        """Find the path's channel; refuse if the bot can't see it or lacks one of these permissions."""
        channel = self.world.channel(self.number("channel_id"))
        self.world.require(self.me, channel, Permission.VIEW_CHANNEL)
        for permission in permissions:
            self.world.require(self.me, channel, permission)
        return channel

    def message(self, *permissions: Permission) -> DiscordMessage:
        """Find the path's message; ephemeral ones can't be reached this way."""
        channel = self.channel(*permissions)
        message = channel.messages.get(self.number("message_id"))
        if message is None or message.only_for:
            raise errors.unknown_message()
        return message

    def guild(self) -> Guild:
        guild = self.world.guilds.get(self.number("guild_id"))
        if guild is None:
            raise errors.unknown_guild()
        if self.me.id not in guild.members:
            raise errors.missing_access()
        return guild

    def user(self) -> DiscordUser:
        if self.path.get("user_id", "@me") == "@me":
            return self.me
        user = self.world.users.get(self.number("user_id"))
        if user is None:
            raise errors.unknown_user()
        return user

    def count(self, name: str, default: int, most: int) -> int:
        value = self.query.get(name, str(default))
        if not value.isdigit():
            raise invalid((name,), "NUMBER_TYPE_COERCE", f'Value "{value}" is not int.')
        if not 1 <= int(value) <= most:
            raise invalid((name,), "NUMBER_TYPE_MAX", f"int value should be less than or equal to {most}.")
        return int(value)


class RateLimited(Exception):  # noqa: N818 - Discord's response, not our error
    """A rate limit that depends on a request's content."""

    def __init__(self, headers: dict[str, str], body: Json) -> None:
        super().__init__(body["message"])
        self.headers = headers
        self.body = body


ApiAnswer = Json | list[Json] | None
"""JSON, or None for 204."""


@dataclass(frozen=True)
class Route:
    method: str
    template: str
    answer: Callable[[ApiRequest], ApiAnswer]
    status: int = 200
    authorized: bool = True
    """Whether the bot's token is required; otherwise an interaction's token is in the path."""
