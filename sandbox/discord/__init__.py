"""A Discord on loopback: its REST API, its gateway, its limits, and people who sit in front of it."""

from sandbox.discord.entities import (
    DiscordChannel,
    DiscordMember,
    DiscordMessage,
    DiscordRole,
    DiscordUser,
    Guild,
    Permission,
    Upload,
)
from sandbox.discord.faults import DroppedConnection, ErrorAnswer, SlowAnswer
from sandbox.discord.modal import OpenedModal
from sandbox.discord.person import DiscordPerson, InteractionResult
from sandbox.discord.rest import RecordedRequest
from sandbox.discord.server import Discord, TimeLimits, serve
from sandbox.discord.waiting import NotSeenError, PersonCannotError
from sandbox.discord.world import Dispatch, World

__all__ = [
    "Discord",
    "DiscordChannel",
    "DiscordMember",
    "DiscordMessage",
    "DiscordPerson",
    "DiscordRole",
    "DiscordUser",
    "Dispatch",
    "DroppedConnection",
    "ErrorAnswer",
    "Guild",
    "InteractionResult",
    "NotSeenError",
    "OpenedModal",
    "Permission",
    "PersonCannotError",
    "RecordedRequest",
    "SlowAnswer",
    "TimeLimits",
    "Upload",
    "World",
    "serve",
]
