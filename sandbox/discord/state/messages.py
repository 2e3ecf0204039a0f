"""Sends, edits, deletes, reacts to and pins messages."""

import time
from dataclasses import dataclass
from mimetypes import guess_type

from sandbox.discord import errors, payloads
from sandbox.discord.state.components import settle
from sandbox.discord.state.entities import (
    Attachment,
    DiscordChannel,
    DiscordMessage,
    DiscordUser,
    Json,
    MessageFlag,
    MessageType,
    Permission,
    Upload,
)
from sandbox.discord.state.mentions import pings
from sandbox.discord.state.world import Dispatch, World

NONCE_MEMORY = 300.0  # Discord: "in the past few minutes"
SYSTEM = frozenset({MessageType.CHANNEL_NAME_CHANGE, MessageType.THREAD_CREATED, MessageType.THREAD_STARTER})


@dataclass(frozen=True)
class MessageDraft:
    """The content of a message to send."""

    content: str = ""
    embeds: tuple[Json, ...] = ()
    components: tuple[Json, ...] = ()
    uploads: tuple[Upload, ...] = ()
    flags: MessageFlag = MessageFlag.NONE
    allowed_mentions: Json | None = None
    reply_to: DiscordMessage | None = None
    nonce: str | int | None = None
    enforce_nonce: bool = False
    tts: bool = False


@dataclass(frozen=True)
class MessageEdit:
    """The changes to a message; None leaves a field as it is."""

    content: str | None = None
    embeds: tuple[Json, ...] | None = None
    components: tuple[Json, ...] | None = None
    uploads: tuple[Upload, ...] = ()
    kept_attachments: frozenset[int] | None = None
    flags: MessageFlag | None = None
    allowed_mentions: Json | None = None


@dataclass(frozen=True)
class InteractionOrigin:
    """The properties of a message that responds to an interaction."""

    type: MessageType = MessageType.DEFAULT
    metadata: Json | None = None
    only_for: DiscordUser | None = None
    webhook_id: int | None = None


def write(world: World, channel: DiscordChannel, author: DiscordUser, draft: MessageDraft) -> DiscordMessage:
    """Send a message if its author has the permissions for it."""
    _may_write(world, channel, author)
    if draft.uploads:
        world.require(author, channel, Permission.ATTACH_FILES)
    key = (author.id, channel.id, str(draft.nonce))
    if draft.enforce_nonce and draft.nonce is not None:
        sent, known = world.nonces.get(key, (0.0, None))
        if known is not None and time.time() - sent < NONCE_MEMORY:
            return known
    message = post(world, channel, author, draft, InteractionOrigin())
    if draft.nonce is not None:
        world.nonces[key] = (time.time(), message)
    return message


def post(
    world: World, channel: DiscordChannel, author: DiscordUser, draft: MessageDraft, origin: InteractionOrigin
) -> DiscordMessage:
    """Create a message in a channel without checking permissions."""
    message = DiscordMessage(
        channel,
        author,
        draft.content,
        type=MessageType.REPLY if draft.reply_to and origin.type is MessageType.DEFAULT else origin.type,
        flags=draft.flags,
        embeds=[_embed(each) for each in draft.embeds],
        reply_to=draft.reply_to,
        reference=_reference(draft.reply_to) if draft.reply_to else None,
        nonce=draft.nonce,
        only_for=origin.only_for,
        interaction=origin.metadata,
        webhook_id=origin.webhook_id,
        tts=draft.tts,
    )
    message.attachments = [_attach(world, each, channel, message) for each in draft.uploads]
    message.components = settle(draft.components, message)
    _ping(world, message, draft.allowed_mentions)
    publish_new(world, message)
    return message


def publish_new(world: World, message: DiscordMessage) -> None:
    """Publish a finished message; in a thread, its author joins and the thread is unarchived."""
    channel = message.channel
    channel.messages[message.id] = message
    if channel.thread and message.type not in SYSTEM and not message.only_for:
        if channel.thread.archived:
            channel.thread.archived = False
            channel.thread.archive_changed_at = time.time()
            world.publish(Dispatch("THREAD_UPDATE", payloads.channel(channel, seen_by=world.bot), channel))
        for each in (message.author, *message.pings):
            if each.id not in channel.thread.members:
                join(world, channel, each)
    world.publish(Dispatch("MESSAGE_CREATE", payloads.dispatched_message(message), channel, message.only_for))


def join(world: World, thread: DiscordChannel, user: DiscordUser) -> None:
    if not thread.thread:
        raise errors.wrong_channel_type()
    if user.id not in thread.thread.members:
        thread.thread.members[user.id] = time.time()
        members_changed(world, thread, {"added_members": [payloads.thread_member(thread, user.id)]})


def members_changed(world: World, thread: DiscordChannel, change: Json) -> None:
    count = len(thread.thread.members) if thread.thread else 0
    place = {"id": str(thread.id), "guild_id": str(thread.guild and thread.guild.id), "member_count": count}
    world.publish(Dispatch("THREAD_MEMBERS_UPDATE", place | change, thread))


def edit(world: World, message: DiscordMessage, changes: MessageEdit) -> DiscordMessage:
    """Edit a message in place, and publish the change."""
    if changes.content is not None:
        message.content = changes.content
    if changes.embeds is not None:
        message.embeds = [_embed(each) for each in changes.embeds]
    if changes.flags is not None:
        sticky = message.flags & (MessageFlag.EPHEMERAL | MessageFlag.HAS_THREAD | MessageFlag.COMPONENTS_V2)
        message.flags = sticky | changes.flags & (MessageFlag.SUPPRESS_EMBEDS | MessageFlag.COMPONENTS_V2)
    if changes.kept_attachments is not None:
        message.attachments = [each for each in message.attachments if each.id in changes.kept_attachments]
    message.attachments += [_attach(world, each, message.channel, message) for each in changes.uploads]
    if changes.components is not None:
        message.components = settle(changes.components, message)
    message.flags &= ~MessageFlag.LOADING
    message.edited_at = time.time()
    _ping(world, message, changes.allowed_mentions)
    updated(world, message)
    return message


def updated(world: World, message: DiscordMessage) -> None:
    world.publish(Dispatch("MESSAGE_UPDATE", payloads.dispatched_message(message), message.channel, message.only_for))


def delete(world: World, message: DiscordMessage) -> None:
    message.channel.messages.pop(message.id, None)
    message.deleted = True
    data = {"id": str(message.id), **_place(message.channel)}
    world.publish(Dispatch("MESSAGE_DELETE", data, message.channel, message.only_for))


def react(world: World, message: DiscordMessage, user: DiscordUser, emoji: str) -> None:
    users = message.reactions.setdefault(emoji, [])
    if user in users:
        return
    users.append(user)
    data = _reaction(message, user, emoji) | {"message_author_id": str(message.author.id)}
    if message.channel.guild and (member := message.channel.guild.members.get(user.id)):
        data["member"] = payloads.member(member)
    world.publish(Dispatch("MESSAGE_REACTION_ADD", data, message.channel))


def unreact(world: World, message: DiscordMessage, user: DiscordUser, emoji: str) -> None:
    users = message.reactions.get(emoji, [])
    if user not in users:
        return
    users.remove(user)
    if not users:
        del message.reactions[emoji]
    world.publish(Dispatch("MESSAGE_REACTION_REMOVE", _reaction(message, user, emoji), message.channel))


def pin(world: World, message: DiscordMessage, *, pinned: bool) -> None:
    message.pinned = pinned
    updated(world, message)
    data = {"last_pin_timestamp": None, **_place(message.channel)}
    world.publish(Dispatch("CHANNEL_PINS_UPDATE", data, message.channel))


def typing(world: World, channel: DiscordChannel, user: DiscordUser) -> None:
    data: Json = {"user_id": str(user.id), "timestamp": int(time.time()), **_place(channel)}
    if channel.guild and (member := channel.guild.members.get(user.id)):
        data["member"] = payloads.member(member)
    world.publish(Dispatch("TYPING_START", data, channel))


def _may_write(world: World, channel: DiscordChannel, author: DiscordUser) -> None:
    thread = channel.thread
    world.require(author, channel, Permission.SEND_MESSAGES_IN_THREADS if thread else Permission.SEND_MESSAGES)
    if thread and thread.locked and not world.permissions(author, channel) & Permission.MANAGE_THREADS:
        raise errors.thread_archived() if thread.archived else errors.thread_locked()


def _embed(embed: Json) -> Json:
    return {"type": "rich", **{key: value for key, value in embed.items() if value is not None}}


def _attach(world: World, upload: Upload, channel: DiscordChannel, message: DiscordMessage) -> Attachment:
    content_type = upload.content_type or guess_type(upload.name)[0] or "application/octet-stream"
    attachment = Attachment(upload.name, upload.content, "", content_type, description=upload.description)
    attachment.ephemeral = message.ephemeral
    attachment.url = f"{world.base_url}/attachments/{channel.id}/{attachment.id}/{upload.name}"
    world.attachments[attachment.id] = attachment
    return attachment


def _ping(world: World, message: DiscordMessage, allowed: Json | None) -> None:
    found = pings(message, allowed, world.users, world.permissions(message.author, message.channel))
    message.pings, message.role_pings, message.everyone_pinged = found.users, found.roles, found.everyone


def _reference(message: DiscordMessage) -> Json:
    return {"type": 0, "message_id": str(message.id), **_place(message.channel)}


def _place(channel: DiscordChannel) -> Json:
    place = {"channel_id": str(channel.id)}
    return place | {"guild_id": str(channel.guild.id)} if channel.guild else place


def _reaction(message: DiscordMessage, user: DiscordUser, emoji: str) -> Json:
    return {
        "user_id": str(user.id),
        "message_id": str(message.id),
        "emoji": payloads.emoji(emoji),
        "burst": False,
        "type": 0,
        **_place(message.channel),
    }
