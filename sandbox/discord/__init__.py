"""A Discord on loopback: its REST API, its gateway, its limits, and people who use it."""

from sandbox.discord.people.modal import OpenedModal
from sandbox.discord.people.person import DiscordPerson, InteractionResult
from sandbox.discord.people.person_errors import PersonCannotError
from sandbox.discord.people.wait_until import NotSeenError
from sandbox.discord.rest.faults import DroppedConnection, ErrorAnswer, SlowAnswer
from sandbox.discord.rest.rest_api import RecordedRequest
from sandbox.discord.server import Discord, TimeLimits, serve
from sandbox.discord.state.entities import (
    DiscordChannel,
    DiscordMember,
    DiscordMessage,
    DiscordRole,
    DiscordUser,
    Guild,
    Permission,
    Upload,
)
from sandbox.discord.state.world import Dispatch, World

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
