"""What the bot needs to be allowed in Discord, and what it is."""

from collections.abc import Iterable
from urllib.parse import urlencode

from pydantic import BaseModel

NEEDED = {
    "View Channels": 1 << 10,
    "Send Messages": 1 << 11,
    "Create Public Threads": 1 << 35,
    "Send Messages in Threads": 1 << 38,
    "Attach Files": 1 << 15,
    "Read Message History": 1 << 16,
}
"""Everything that it does in a channel, and nothing that it does not; the names are those of Discord's own settings."""
NEEDED_FOR_PANEL = ("View Channels", "Send Messages", "Read Message History")
ADMINISTRATOR = 1 << 3
EVERYTHING = (1 << 53) - 1
AUTHORIZE = "https://discord.com/oauth2/authorize"

MESSAGE_CONTENT = 1 << 18
MESSAGE_CONTENT_LIMITED = 1 << 19
"""The same, for an application in fewer than a hundred servers; the only one that a bot may switch on by itself."""


class RoleInfo(BaseModel):
    id: int
    permissions: int


class Overwrite(BaseModel):
    id: int
    allow: int
    deny: int


class MemberInfo(BaseModel):
    roles: frozenset[int]


class ChannelInfo(BaseModel):
    id: int
    type: int
    name: str | None = None
    guild_id: int | None = None
    permission_overwrites: tuple[Overwrite, ...] = ()


def invitation(application: int) -> str:
    """Make the link with which the bot is brought to a server, with exactly what it needs."""
    wanted = {
        "client_id": str(application),
        "scope": "bot applications.commands",
        "permissions": str(sum(NEEDED.values())),
    }
    return f"{AUTHORIZE}?{urlencode(wanted)}"


def rights(channel: ChannelInfo, roles: Iterable[RoleInfo], member: MemberInfo, user: int) -> int:
    """Work out what a member may do in a channel, by Discord's rules: its roles, then the channel's own changes."""
    everyone = channel.guild_id  # the role that everybody has bears the server's id
    may = 0
    for role in roles:
        if role.id == everyone or role.id in member.roles:
            may |= role.permissions
    if may & ADMINISTRATOR:
        return EVERYTHING
    changes = {change.id: change for change in channel.permission_overwrites}
    if everyone in changes:
        may = may & ~changes[everyone].deny | changes[everyone].allow
    own = [changes[role] for role in member.roles if role in changes]
    for change in own:
        may &= ~change.deny
    for change in own:
        may |= change.allow
    if user in changes:
        may = may & ~changes[user].deny | changes[user].allow
    return may


def missing(may: int, needed: Iterable[str] = NEEDED) -> list[str]:
    """Name what is needed and not there."""
    return [name for name in needed if not may & NEEDED[name]]
