"""The users, guilds, channels and messages of the sandbox's Discord."""

import itertools
import time
from dataclasses import dataclass, field
from datetime import UTC, datetime
from enum import IntEnum, IntFlag
from typing import Any

Json = dict[str, Any]

EPOCH_MS = 1_420_070_400_000  # Discord's own epoch: the first second of 2015
_increment = itertools.count()


def snowflake() -> int:
    """Return a new id, greater than all earlier ones."""
    return (int(time.time() * 1000) - EPOCH_MS) << 22 | next(_increment) % (1 << 22)


def created_at(entity_id: int) -> str:
    return stamp(((entity_id >> 22) + EPOCH_MS) / 1000)


def stamp(moment: float) -> str:
    return datetime.fromtimestamp(moment, UTC).isoformat()


class Permission(IntFlag):
    NONE = 0
    CREATE_INSTANT_INVITE = 1 << 0
    ADMINISTRATOR = 1 << 3
    MANAGE_CHANNELS = 1 << 4
    ADD_REACTIONS = 1 << 6
    VIEW_CHANNEL = 1 << 10
    SEND_MESSAGES = 1 << 11
    MANAGE_MESSAGES = 1 << 13
    EMBED_LINKS = 1 << 14
    ATTACH_FILES = 1 << 15
    READ_MESSAGE_HISTORY = 1 << 16
    MENTION_EVERYONE = 1 << 17
    USE_APPLICATION_COMMANDS = 1 << 31
    MANAGE_THREADS = 1 << 34
    CREATE_PUBLIC_THREADS = 1 << 35
    CREATE_PRIVATE_THREADS = 1 << 36
    SEND_MESSAGES_IN_THREADS = 1 << 38
    PIN_MESSAGES = 1 << 51


ALL_PERMISSIONS = Permission((1 << 53) - 1)
EVERYONE_PERMISSIONS = (
    Permission.ADD_REACTIONS
    | Permission.VIEW_CHANNEL
    | Permission.SEND_MESSAGES
    | Permission.EMBED_LINKS
    | Permission.ATTACH_FILES
    | Permission.READ_MESSAGE_HISTORY
    | Permission.USE_APPLICATION_COMMANDS
    | Permission.CREATE_PUBLIC_THREADS
    | Permission.CREATE_PRIVATE_THREADS
    | Permission.SEND_MESSAGES_IN_THREADS
)


class ChannelType(IntEnum):
    """A channel's type."""

    TEXT = 0
    DM = 1
    CATEGORY = 4
    PUBLIC_THREAD = 11
    PRIVATE_THREAD = 12


class MessageType(IntEnum):
    DEFAULT = 0
    CHANNEL_NAME_CHANGE = 4
    PINNED = 6
    THREAD_CREATED = 18
    REPLY = 19
    COMMAND = 20
    THREAD_STARTER = 21
    CONTEXT_MENU = 23


class MessageFlag(IntFlag):
    """A message's flags."""

    NONE = 0
    SUPPRESS_EMBEDS = 1 << 2
    HAS_THREAD = 1 << 5
    EPHEMERAL = 1 << 6
    LOADING = 1 << 7
    SUPPRESS_NOTIFICATIONS = 1 << 12
    COMPONENTS_V2 = 1 << 15


@dataclass(eq=False)
class DiscordUser:
    name: str
    bot: bool = False
    id: int = field(default_factory=snowflake)
    display_name: str | None = None

    @property
    def mention(self) -> str:
        return f"<@{self.id}>"


@dataclass(eq=False)
class DiscordRole:
    name: str
    permissions: Permission = Permission.NONE
    colour: int = 0
    id: int = field(default_factory=snowflake)

    @property
    def mention(self) -> str:
        return f"<@&{self.id}>"


@dataclass(eq=False)
class DiscordMember:
    user: DiscordUser
    roles: list[DiscordRole] = field(default_factory=list)
    nick: str | None = None
    joined_at: float = field(default_factory=time.time)

    @property
    def id(self) -> int:
        return self.user.id

    @property
    def name(self) -> str:
        return self.nick or self.user.display_name or self.user.name


@dataclass(eq=False)
class Guild:
    name: str
    owner: DiscordUser
    id: int = field(default_factory=snowflake)
    roles: dict[int, DiscordRole] = field(default_factory=dict)
    members: dict[int, DiscordMember] = field(default_factory=dict)

    @property
    def everyone(self) -> DiscordRole:
        """The role that every member has; its id is the guild's id."""
        return self.roles[self.id]


@dataclass(eq=False)
class Thread:
    """The properties that only a thread has."""

    parent: "DiscordChannel"
    owner: DiscordUser
    members: dict[int, float] = field(default_factory=dict)
    archived: bool = False
    locked: bool = False
    invitable: bool = True
    auto_archive_minutes: int = 4320
    archive_changed_at: float = field(default_factory=time.time)


@dataclass(eq=False)
class DiscordChannel:
    name: str
    kind: ChannelType = ChannelType.TEXT
    guild: Guild | None = None
    id: int = field(default_factory=snowflake)
    topic: str | None = None
    slowmode: int = 0
    category: "DiscordChannel | None" = None
    thread: Thread | None = None
    recipients: tuple[DiscordUser, ...] = ()
    denied: dict[int, Permission] = field(default_factory=dict)
    """User or role id -> the permissions denied in this channel."""
    allowed: dict[int, Permission] = field(default_factory=dict)
    messages: dict[int, "DiscordMessage"] = field(default_factory=dict)

    @property
    def mention(self) -> str:
        return f"<#{self.id}>"

    def deny(self, who: DiscordUser | DiscordMember | DiscordRole, *permissions: Permission) -> None:
        """Deny these permissions in this channel, or all if none are given."""
        taken = ALL_PERMISSIONS if not permissions else Permission.NONE
        for permission in permissions:
            taken |= permission
        self.denied[who.id] = self.denied.get(who.id, Permission.NONE) | taken

    def allow(self, who: DiscordUser | DiscordMember | DiscordRole, *permissions: Permission) -> None:
        """Undo `deny`, or grant permissions that the roles don't."""
        granted = ALL_PERMISSIONS if not permissions else Permission.NONE
        for permission in permissions:
            granted |= permission
        self.denied[who.id] = self.denied.get(who.id, Permission.NONE) & ~granted
        if permissions:
            self.allowed[who.id] = self.allowed.get(who.id, Permission.NONE) | granted


@dataclass(frozen=True)
class Upload:
    """A file that is being uploaded."""

    name: str
    content: bytes
    content_type: str | None = None
    description: str | None = None


@dataclass(eq=False)
class Attachment:
    name: str
    content: bytes
    url: str
    content_type: str
    id: int = field(default_factory=snowflake)
    description: str | None = None
    ephemeral: bool = False


@dataclass(eq=False)
class DiscordMessage:
    channel: DiscordChannel
    author: DiscordUser
    content: str = ""
    id: int = field(default_factory=snowflake)
    type: MessageType = MessageType.DEFAULT
    flags: MessageFlag = MessageFlag.NONE
    embeds: list[Json] = field(default_factory=list)
    components: list[Json] = field(default_factory=list)
    attachments: list[Attachment] = field(default_factory=list)
    reactions: dict[str, list[DiscordUser]] = field(default_factory=dict)
    reply_to: "DiscordMessage | None" = None
    reference: Json | None = None
    nonce: str | int | None = None
    pings: tuple[DiscordUser, ...] = ()
    """The users whom it pings, with `allowed_mentions` applied."""
    role_pings: tuple[DiscordRole, ...] = ()
    everyone_pinged: bool = False
    pinned: bool = False
    tts: bool = False
    edited_at: float | None = None
    only_for: DiscordUser | None = None
    """The only person who sees it, if it is ephemeral."""
    interaction: Json | None = None
    webhook_id: int | None = None
    thread: DiscordChannel | None = None
    deleted: bool = False

    @property
    def ephemeral(self) -> bool:
        return bool(self.flags & MessageFlag.EPHEMERAL)

    @property
    def loading(self) -> bool:
        """Whether it still shows "thinking…"."""
        return bool(self.flags & MessageFlag.LOADING)

    @property
    def text(self) -> str:
        """All text in order: the content, the embeds, the components."""
        lines = [self.content]
        for embed in self.embeds:
            lines += [embed.get("title") or "", embed.get("description") or ""]
            lines += [f"{item['name']}\n{item['value']}" for item in embed.get("fields", ())]
            lines.append((embed.get("footer") or {}).get("text") or "")
        lines += [part["content"] for part in walk(self.components) if part["type"] == ComponentType.TEXT]
        return "\n".join(line for line in lines if line)


class ComponentType(IntEnum):
    ROW = 1
    BUTTON = 2
    SELECT = 3
    TEXT_INPUT = 4
    USER_SELECT = 5
    ROLE_SELECT = 6
    MENTIONABLE_SELECT = 7
    CHANNEL_SELECT = 8
    SECTION = 9
    TEXT = 10
    THUMBNAIL = 11
    GALLERY = 12
    FILE = 13
    SEPARATOR = 14
    CONTAINER = 17
    LABEL = 18
    FILE_UPLOAD = 19
    RADIO_GROUP = 21
    CHECKBOX_GROUP = 22
    CHECKBOX = 23


SELECTS = frozenset({3, 5, 6, 7, 8})


def walk(components: list[Json]) -> list[Json]:
    """List all components in reading order, including nested ones."""
    found: list[Json] = []
    for component in components:
        found.append(component)
        inner = component.get("components")
        found += walk(inner) if isinstance(inner, list) else []
        for slot in ("accessory", "component"):
            if isinstance(component.get(slot), dict):
                found += walk([component[slot]])
    return found
