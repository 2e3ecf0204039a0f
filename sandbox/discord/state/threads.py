"""Opens, renames, archives, locks and deletes channels and threads."""

import time
from dataclasses import dataclass

from sandbox.discord import errors, payloads
from sandbox.discord.state.entities import (
    ChannelType,
    DiscordChannel,
    DiscordMessage,
    DiscordUser,
    Json,
    MessageFlag,
    MessageType,
    Thread,
    snowflake,
)
from sandbox.discord.state.messages import members_changed, publish_new, updated
from sandbox.discord.state.world import Dispatch, World


@dataclass(frozen=True)
class ThreadDraft:
    """The properties of a thread to open."""

    name: str
    message: DiscordMessage | None = None
    kind: ChannelType = ChannelType.PUBLIC_THREAD
    auto_archive_minutes: int = 4320
    invitable: bool = True


def open_thread(world: World, parent: DiscordChannel, owner: DiscordUser, plan: ThreadDraft) -> DiscordChannel:
    """Open a thread, either on a message, whose id it takes, or without one."""
    if parent.kind is not ChannelType.TEXT or parent.guild is None:
        raise errors.wrong_channel_type()
    message = plan.message
    if message and message.thread:
        raise errors.thread_exists()
    details = Thread(parent, owner, auto_archive_minutes=plan.auto_archive_minutes, invitable=plan.invitable)
    details.members[owner.id] = time.time()
    number = message.id if message else snowflake()
    thread = DiscordChannel(plan.name, plan.kind, parent.guild, number, thread=details)
    world.channels[thread.id] = thread
    data = payloads.channel(thread, seen_by=world.bot) | {"newly_created": True}
    world.publish(Dispatch("THREAD_CREATE", data, thread))
    reference: Json = {"type": 0, "channel_id": str(thread.id), "guild_id": str(parent.guild.id)}
    if message:
        message.thread = thread
        message.flags |= MessageFlag.HAS_THREAD
        updated(world, message)
        reference |= {"channel_id": str(parent.id), "message_id": str(message.id)}
        starter = MessageType.THREAD_STARTER
        publish_new(world, DiscordMessage(thread, owner, type=starter, reference=reference, reply_to=message))
    elif plan.kind is ChannelType.PUBLIC_THREAD:
        publish_new(
            world, DiscordMessage(parent, owner, plan.name, type=MessageType.THREAD_CREATED, reference=reference)
        )
    return thread


def leave(world: World, thread: DiscordChannel, user: DiscordUser) -> None:
    if thread.thread and thread.thread.members.pop(user.id, None) is not None:
        members_changed(world, thread, {"removed_member_ids": [str(user.id)]})


@dataclass(frozen=True)
class ChannelEdit:
    """The changes to a channel or thread; None leaves a field as it is."""

    name: str | None = None
    topic: str | None = None
    slowmode: int | None = None
    archived: bool | None = None
    locked: bool | None = None
    auto_archive_minutes: int | None = None
    invitable: bool | None = None


def change(world: World, channel: DiscordChannel, by: DiscordUser, changes: ChannelEdit) -> None:
    """Rename a channel or thread, archive a thread, lock it, and so on."""
    renamed = changes.name is not None and changes.name != channel.name
    channel.name = changes.name if changes.name is not None else channel.name
    channel.topic = changes.topic if changes.topic is not None else channel.topic
    channel.slowmode = changes.slowmode if changes.slowmode is not None else channel.slowmode
    thread = channel.thread
    if thread:
        if changes.archived is not None and changes.archived != thread.archived:
            thread.archived = changes.archived
            thread.archive_changed_at = time.time()
        thread.locked = changes.locked if changes.locked is not None else thread.locked
        thread.auto_archive_minutes = changes.auto_archive_minutes or thread.auto_archive_minutes
        thread.invitable = changes.invitable if changes.invitable is not None else thread.invitable
    event = "THREAD_UPDATE" if thread else "CHANNEL_UPDATE"
    world.publish(Dispatch(event, payloads.channel(channel, seen_by=world.bot), channel))
    if renamed and thread:
        publish_new(world, DiscordMessage(channel, by, channel.name, type=MessageType.CHANNEL_NAME_CHANGE))


def remove(world: World, channel: DiscordChannel) -> None:
    """Delete a thread, or a channel with its threads."""
    for thread in world.threads(channel):
        remove(world, thread)
    event = "THREAD_DELETE" if channel.thread else "CHANNEL_DELETE"
    world.publish(Dispatch(event, payloads.channel(channel), channel))
    world.channels.pop(channel.id, None)
    for message in channel.messages.values():
        message.deleted = True
