"""Finds whom a message pings, given its text and `allowed_mentions`."""

import re
from dataclasses import dataclass

from sandbox.discord.state.entities import (
    ComponentType,
    DiscordChannel,
    DiscordMessage,
    DiscordRole,
    DiscordUser,
    Json,
    Permission,
    walk,
)

_USER = re.compile(r"<@!?(\d+)>")
_ROLE = re.compile(r"<@&(\d+)>")
_CODE = re.compile(r"```.*?```|`[^`\n]*`", re.DOTALL)


@dataclass(frozen=True)
class Pings:
    users: tuple[DiscordUser, ...]
    roles: tuple[DiscordRole, ...]
    everyone: bool


def pings(message: DiscordMessage, allowed: Json | None, users: dict[int, DiscordUser], may: Permission) -> Pings:
    """Find the users and roles that a message pings; if `allowed` is None, all that it mentions."""
    spoken = [message.content] + [
        part["content"] for part in walk(message.components) if part["type"] == ComponentType.TEXT
    ]
    text = _CODE.sub("", "\n".join(spoken))
    parse = {"users", "roles", "everyone"} if allowed is None else set(allowed.get("parse") or ())
    named = [int(number) for number in dict.fromkeys(_USER.findall(text))]
    heard = [number for number in named if "users" in parse or _listed(allowed, "users", number)]
    if message.reply_to and (allowed is None or allowed.get("replied_user")):
        heard.append(message.reply_to.author.id)
    roles = _roles(text, message.channel, allowed, parse)
    everyone = bool(re.search(r"@(everyone|here)\b", text)) and "everyone" in parse
    return Pings(
        tuple(users[number] for number in dict.fromkeys(heard) if number in users),
        roles if may & Permission.MENTION_EVERYONE else (),
        everyone and bool(may & Permission.MENTION_EVERYONE),
    )


def _roles(text: str, channel: DiscordChannel, allowed: Json | None, parse: set[str]) -> tuple[DiscordRole, ...]:
    known = channel.guild.roles if channel.guild else {}
    named = [int(number) for number in dict.fromkeys(_ROLE.findall(text))]
    return tuple(
        known[number] for number in named if number in known and ("roles" in parse or _listed(allowed, "roles", number))
    )


def _listed(allowed: Json | None, key: str, number: int) -> bool:
    return str(number) in [str(each) for each in (allowed or {}).get(key) or ()]
