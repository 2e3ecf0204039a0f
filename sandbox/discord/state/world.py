"""The users, guilds, channels and messages of the sandbox's Discord, with a dispatch for every change."""

import asyncio
import contextlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field

from sandbox.discord import errors, payloads
from sandbox.discord.state.entities import (
    ALL_PERMISSIONS,
    EVERYONE_PERMISSIONS,
    Attachment,
    ChannelType,
    DiscordChannel,
    DiscordMember,
    DiscordMessage,
    DiscordRole,
    DiscordUser,
    Guild,
    Json,
    Permission,
    snowflake,
)


@dataclass(frozen=True)
class Dispatch:
    """A gateway event and its recipients: everyone who sees the place, or only one user."""

    event: str
    data: Json
    place: DiscordChannel | Guild | None = None
    only_for: DiscordUser | None = None


@dataclass(frozen=True)
class DispatchStream:
    """The endless stream of a subscription's dispatches."""

    queue: asyncio.Queue[Dispatch]

    def __aiter__(self) -> "DispatchStream":
        return self

    async def __anext__(self) -> Dispatch:
        return await self.queue.get()


@dataclass(eq=False)
class DiscordApplication:
    bot: DiscordUser
    name: str
    owner: DiscordUser
    flags: int = 1 << 13 | 1 << 15 | 1 << 19
    """Presence, members and message content are granted, as a person would do in the portal."""
    interactions_endpoint_url: str | None = None
    commands: dict[int | None, dict[int, Json]] = field(default_factory=dict)
    """Guild id, or None for global -> command id -> the command."""

    @property
    def id(self) -> int:
        return self.bot.id


class World:
    """All users, guilds, channels and messages, as the bot, people and the page see them."""

    def __init__(self, bot_name: str = "claude") -> None:
        self.base_url = ""
        self.users: dict[int, DiscordUser] = {}
        self.guilds: dict[int, Guild] = {}
        self.channels: dict[int, DiscordChannel] = {}
        self.attachments: dict[int, Attachment] = {}
        self._listeners: dict[int, Callable[[Dispatch], None]] = {}
        self.nonces: dict[tuple[int, int, str], tuple[float, DiscordMessage]] = {}
        """(author, channel, nonce) -> when it was sent, and the message, for `enforce_nonce`."""
        bot = self._add(DiscordUser(bot_name, bot=True))
        self.application = DiscordApplication(bot, bot_name, owner=self._add(DiscordUser("owner")))

    # People and places

    def _add(self, user: DiscordUser) -> DiscordUser:
        self.users[user.id] = user
        return user

    @property
    def bot(self) -> DiscordUser:
        return self.application.bot

    def add_user(self, name: str, *, bot: bool = False) -> DiscordUser:
        return self._add(DiscordUser(name, bot))

    def add_guild(
        self,
        name: str,
        *,
        owner: DiscordUser | None = None,
        bot_permissions: Permission = Permission.NONE,
        bot_in: bool = True,
    ) -> Guild:
        """Add a server; the bot is a member with `bot_permissions` in addition to everyone's."""
        guild = Guild(name, owner or self.application.owner)
        guild.roles[guild.id] = DiscordRole("@everyone", EVERYONE_PERMISSIONS, id=guild.id)
        bot_role = DiscordRole(self.bot.name, bot_permissions)
        guild.roles[bot_role.id] = bot_role
        guild.members[guild.owner.id] = DiscordMember(guild.owner)
        if bot_in:
            guild.members[self.bot.id] = DiscordMember(self.bot, [bot_role])
        self.guilds[guild.id] = guild
        if bot_in:
            self.publish(Dispatch("GUILD_CREATE", self.gateway_guild(guild), guild))
        return guild

    def gateway_guild(self, guild: Guild) -> Json:
        me = guild.members[self.bot.id]
        return payloads.gateway_guild(guild, self.channels_seen_by(self.bot, guild), me)

    def add_role(self, guild: Guild, name: str, permissions: Permission = Permission.NONE) -> DiscordRole:
        role = DiscordRole(name, permissions)
        guild.roles[role.id] = role
        data = {"guild_id": str(guild.id), "role": payloads.role(role, len(guild.roles) - 1)}
        self.publish(Dispatch("GUILD_ROLE_CREATE", data, guild))
        return role

    def add_member(self, guild: Guild, who: str | DiscordUser, roles: list[DiscordRole] | None = None) -> DiscordMember:
        user = self.add_user(who) if isinstance(who, str) else who
        member = DiscordMember(user, list(roles or ()))
        guild.members[user.id] = member
        self.publish(Dispatch("GUILD_MEMBER_ADD", payloads.member(member) | {"guild_id": str(guild.id)}, guild))
        return member

    def set_roles(self, guild: Guild, member: DiscordMember, roles: list[DiscordRole]) -> None:
        member.roles = list(roles)
        self.publish(Dispatch("GUILD_MEMBER_UPDATE", payloads.member(member) | {"guild_id": str(guild.id)}, guild))

    def add_channel(
        self, guild: Guild, name: str, *, kind: ChannelType = ChannelType.TEXT, topic: str | None = None
    ) -> DiscordChannel:
        channel = DiscordChannel(name, kind, guild, topic=topic)
        self.channels[channel.id] = channel
        self.publish(Dispatch("CHANNEL_CREATE", payloads.channel(channel), channel))
        return channel

    def dm(self, one: DiscordUser, other: DiscordUser) -> DiscordChannel:
        """Find or open the DM of two users."""
        for channel in self.channels.values():
            if channel.kind is ChannelType.DM and set(channel.recipients) == {one, other}:
                return channel
        channel = DiscordChannel("", ChannelType.DM, recipients=(one, other))
        self.channels[channel.id] = channel
        for each in (one, other):
            if each.bot:  # bots don't get this event (API v8 and later)
                continue
            self.publish(Dispatch("CHANNEL_CREATE", payloads.channel(channel, seen_by=each), only_for=each))
        return channel

    # Permissions

    def channel(self, channel_id: int) -> DiscordChannel:
        if channel_id not in self.channels:
            raise errors.unknown_channel()
        return self.channels[channel_id]

    def messages(self, channel: DiscordChannel, seen_by: DiscordUser | None = None) -> list[DiscordMessage]:
        """List a channel's messages, including the ephemeral ones that this user sees."""
        return [each for each in channel.messages.values() if each.only_for in (None, seen_by)]

    def threads(self, channel: DiscordChannel) -> list[DiscordChannel]:
        return [each for each in self.channels.values() if each.thread and each.thread.parent is channel]

    def permissions(self, user: DiscordUser, channel: DiscordChannel) -> Permission:
        """Return a user's permissions in a channel; a thread has its parent's permissions."""
        if channel.kind is ChannelType.DM:
            return ALL_PERMISSIONS if user in channel.recipients else Permission.NONE
        guild, place = channel.guild, channel.thread.parent if channel.thread else channel
        member = guild.members.get(user.id) if guild else None
        if guild is None or member is None:
            return Permission.NONE
        if guild.owner is user:
            return ALL_PERMISSIONS
        roles = [guild.everyone, *member.roles]
        may = Permission.NONE
        for role in roles:
            may |= role.permissions
        if may & Permission.ADMINISTRATOR:
            return ALL_PERMISSIONS
        for who in (guild.id, *(role.id for role in member.roles), user.id):
            may = (may & ~place.denied.get(who, Permission.NONE)) | place.allowed.get(who, Permission.NONE)
        hidden = channel.kind is ChannelType.PRIVATE_THREAD and not self._in_private(channel, user, may)
        return Permission.NONE if hidden or not may & Permission.VIEW_CHANNEL else may

    @staticmethod
    def _in_private(channel: DiscordChannel, user: DiscordUser, may: Permission) -> bool:
        return bool(may & Permission.MANAGE_THREADS) or (
            channel.thread is not None and user.id in channel.thread.members
        )

    def sees(self, user: DiscordUser, place: DiscordChannel | Guild | None) -> bool:
        match place:
            case Guild():
                return user.id in place.members
            case DiscordChannel():
                return bool(self.permissions(user, place) & Permission.VIEW_CHANNEL)
            case None:
                return True

    def channels_seen_by(self, user: DiscordUser, guild: Guild) -> list[DiscordChannel]:
        return [each for each in self.channels.values() if each.guild is guild and self.sees(user, each)]

    def require(self, user: DiscordUser, channel: DiscordChannel, permission: Permission) -> None:
        """Raise Discord's refusal if the channel is hidden from the user or the permission is missing."""
        may = self.permissions(user, channel)
        if not may & Permission.VIEW_CHANNEL:
            raise errors.missing_access()
        if not may & permission:
            raise errors.missing_permissions()

    # Dispatches

    def publish(self, dispatch: Dispatch) -> None:
        for listener in list(self._listeners.values()):
            listener(dispatch)

    def listen(self, listener: Callable[[Dispatch], None]) -> Callable[[], None]:
        """Call `listener` with every dispatch until the returned function is called."""
        key = snowflake()
        self._listeners[key] = listener
        return lambda: self._listeners.pop(key, None) and None

    def reaches(self, dispatch: Dispatch, user: DiscordUser) -> bool:
        if dispatch.only_for is not None:
            return dispatch.only_for is user
        return self.sees(user, dispatch.place)

    @contextlib.contextmanager
    def subscribe(self, user: DiscordUser | None = None) -> Iterator["DispatchStream"]:
        """Stream the dispatches that this user receives from now on, or all dispatches for None."""
        queue: asyncio.Queue[Dispatch] = asyncio.Queue()

        def hear(dispatch: Dispatch) -> None:
            if user is None or self.reaches(dispatch, user):
                queue.put_nowait(dispatch)

        stop = self.listen(hear)
        try:
            yield DispatchStream(queue)
        finally:
            stop()

    def snapshot(self, user: DiscordUser) -> Json:
        """Return everything that this user sees as JSON; a page starts with it."""
        return {
            "user": payloads.user(user),
            "application": {"id": str(self.application.id), "name": self.application.name},
            "guilds": [self._guild_snapshot(guild, user) for guild in self.guilds.values() if user.id in guild.members],
            "dms": [
                self._channel_snapshot(each, user)
                for each in self.channels.values()
                if each.kind is ChannelType.DM and user in each.recipients
            ],
        }

    def _guild_snapshot(self, guild: Guild, user: DiscordUser) -> Json:
        commands = {**self.application.commands.get(None, {}), **self.application.commands.get(guild.id, {})}
        return {
            "id": str(guild.id),
            "name": guild.name,
            "owner_id": str(guild.owner.id),
            "roles": payloads.roles(guild),
            "members": [payloads.member(each) for each in guild.members.values()],
            "channels": [self._channel_snapshot(each, user) for each in self.channels_seen_by(user, guild)],
            "commands": list(commands.values()) if self.bot.id in guild.members else [],
        }

    def _channel_snapshot(self, channel: DiscordChannel, user: DiscordUser) -> Json:
        messages = [payloads.message(each, seen_by=user) for each in self.messages(channel, user)]
        may = str(int(self.permissions(user, channel)))
        return payloads.channel(channel, seen_by=user) | {"messages": messages, "permissions": may}
