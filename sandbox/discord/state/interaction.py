"""An interaction: what a person did, and the payload that the bot receives."""

import asyncio
import secrets
import time
from dataclasses import dataclass, field, replace
from enum import IntEnum

from sandbox.discord import payloads
from sandbox.discord.state.entities import ALL_PERMISSIONS, DiscordChannel, DiscordMessage, DiscordUser, Json, snowflake
from sandbox.discord.state.world import World
from sandbox.discord.validation.message_limits import FILE_SIZE

PATIENCE = 3.0
"""Seconds in which the bot has to respond."""
LIFETIME = 15 * 60.0
"""Seconds for which the token of an interaction is valid."""


class InteractionType(IntEnum):
    """Discord's numbers for what a person did."""

    COMMAND = 2
    COMPONENT = 3
    AUTOCOMPLETE = 4
    MODAL = 5


class ResponseType(IntEnum):
    """Discord's numbers for how the bot responds."""

    MESSAGE = 4
    DEFERRED_MESSAGE = 5
    DEFERRED_UPDATE = 6
    UPDATE = 7
    CHOICES = 8
    MODAL = 9


@dataclass(eq=False)
class Interaction:
    what: InteractionType
    user: DiscordUser
    channel: DiscordChannel
    data: Json
    message: DiscordMessage | None = None
    """The message whose component was used, even if a modal followed."""
    id: int = field(default_factory=snowflake)
    token: str = field(default_factory=lambda: secrets.token_urlsafe(48))
    began: float = field(default_factory=time.monotonic)
    response: ResponseType | None = None
    took: float | None = None
    failed: bool = False
    original: DiscordMessage | None = None
    modal: Json | None = None
    choices: list[Json] = field(default_factory=list)
    followups: list[DiscordMessage] = field(default_factory=list)
    settled: asyncio.Event = field(default_factory=asyncio.Event)
    """Set when the bot has responded or its time is up."""

    def metadata(self) -> Json:
        owners = {"0": str(self.channel.guild.id)} if self.channel.guild else {"0": "0"}
        body: Json = {
            "id": str(self.id),
            "type": int(self.what),
            "user": payloads.user(self.user),
            "authorizing_integration_owners": owners,
        }
        if self.what is InteractionType.COMPONENT and self.message:
            body["interacted_message_id"] = str(self.message.id)
        if self.what is InteractionType.MODAL:
            body["triggering_interaction_metadata"] = replace(
                self, what=InteractionType.COMPONENT if self.message else InteractionType.COMMAND
            ).metadata()
        return body


def payload(interaction: Interaction, world: World) -> Json:
    """Return the payload of `INTERACTION_CREATE`."""
    channel, guild = interaction.channel, interaction.channel.guild
    may = world.permissions(interaction.user, channel)
    bot_may = world.permissions(world.bot, channel) if guild else ALL_PERMISSIONS
    body: Json = {
        "id": str(interaction.id),
        "application_id": str(world.application.id),
        "type": int(interaction.what),
        "token": interaction.token,
        "version": 1,
        "data": interaction.data,
        "channel_id": str(channel.id),
        "channel": payloads.channel(channel, seen_by=interaction.user) | {"permissions": str(int(may))},
        "app_permissions": str(int(bot_may)),
        "locale": payloads.LOCALE,
        "entitlements": [],
        "authorizing_integration_owners": {"0": str(guild.id) if guild else "0"},
        "context": 0 if guild else 1,
        "attachment_size_limit": FILE_SIZE,
    }
    if interaction.message:
        body["message"] = payloads.message(interaction.message, seen_by=world.bot)
    if guild is None:
        return body | {"user": payloads.user(interaction.user)}
    member = payloads.member(guild.members[interaction.user.id]) | {"permissions": str(int(may))}
    return body | {
        "guild_id": str(guild.id),
        "guild": {"id": str(guild.id), "locale": payloads.LOCALE, "features": []},
        "guild_locale": payloads.LOCALE,
        "member": member,
    }
