"""The permissions that the bot needs in Discord, and those that it has in a channel."""

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
"""The permissions that the bot uses in a channel, no more; named as in Discord's settings."""
NEEDED_FOR_PANEL = ("View Channels", "Send Messages", "Read Message History")
ADMINISTRATOR = 1 << 3
EVERYTHING = (1 << 53) - 1
AUTHORIZE = "https://discord.com/oauth2/authorize"

MESSAGE_CONTENT = 1 << 18
MESSAGE_CONTENT_LIMITED = 1 << 19
"""The same for an application in fewer than 100 servers; the only one that a bot may turn on itself."""


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
    """Return the link that adds the bot to a server with exactly the permissions it needs."""
    wanted = {
        "client_id": str(application),
        "scope": "bot applications.commands",
        "permissions": str(sum(NEEDED.values())),
    }
    return f"{AUTHORIZE}?{urlencode(wanted)}"


def rights(channel: ChannelInfo, roles: Iterable[RoleInfo], member: MemberInfo, user: int) -> int:
    """Compute a member's permissions in a channel by Discord's rules: its roles, then the channel's overwrites."""
    everyone = channel.guild_id  # the id of @everyone is the server's id
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
    """Return the names of the missing permissions."""
    return [name for name in needed if not may & NEEDED[name]]
