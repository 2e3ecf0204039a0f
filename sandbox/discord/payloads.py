"""Converts users, channels, messages and guilds to Discord's JSON."""

import time

from sandbox.discord.state.entities import (
    Attachment,
    ChannelType,
    DiscordChannel,
    DiscordMember,
    DiscordMessage,
    DiscordRole,
    DiscordUser,
    Guild,
    Json,
    MessageFlag,
    Thread,
    created_at,
    snowflake,
    stamp,
)

LOCALE = "en-US"


def user(user: DiscordUser) -> Json:
    return {
        "id": str(user.id),
        "username": user.name,
        "discriminator": "0",
        "global_name": user.display_name or (None if user.bot else user.name),
        "avatar": None,
        "avatar_decoration_data": None,
        "collectibles": None,
        "banner": None,
        "accent_color": None,
        "bot": user.bot,
        "system": False,
        "public_flags": 0,
        "flags": 0,
        "clan": None,
        "primary_guild": None,
    }


def own_user(me: DiscordUser) -> Json:
    return user(me) | {"mfa_enabled": True, "verified": True, "locale": LOCALE, "email": None}


def role(role: DiscordRole, position: int) -> Json:
    return {
        "id": str(role.id),
        "name": role.name,
        "color": role.colour,
        "colors": {"primary_color": role.colour, "secondary_color": None, "tertiary_color": None},
        "hoist": False,
        "icon": None,
        "unicode_emoji": None,
        "position": position,
        "permissions": str(int(role.permissions)),
        "managed": False,
        "mentionable": False,
        "flags": 0,
    }


def roles(guild: Guild) -> list[Json]:
    return [role(each, position) for position, each in enumerate(guild.roles.values())]


def member(member: DiscordMember, *, with_user: bool = True) -> Json:
    body: Json = {
        "nick": member.nick,
        "avatar": None,
        "banner": None,
        "roles": [str(role.id) for role in member.roles],
        "joined_at": stamp(member.joined_at),
        "premium_since": None,
        "communication_disabled_until": None,
        "deaf": False,
        "mute": False,
        "pending": False,
        "flags": 0,
    }
    return body | {"user": user(member.user)} if with_user else body


def overwrites(channel: DiscordChannel) -> list[Json]:
    everyone = channel.guild.roles if channel.guild else {}
    return [
        {
            "id": str(who),
            "type": 0 if who in everyone else 1,
            "allow": str(int(channel.allowed.get(who, 0))),
            "deny": str(int(channel.denied.get(who, 0))),
        }
        for who in dict.fromkeys([*channel.denied, *channel.allowed])
    ]


def channel(channel: DiscordChannel, *, seen_by: DiscordUser | None = None) -> Json:
    last = next((m.id for m in reversed(channel.messages.values()) if not m.ephemeral), None)
    body: Json = {"id": str(channel.id), "type": int(channel.kind), "last_message_id": last and str(last), "flags": 0}
    if channel.kind is ChannelType.DM:
        others = [each for each in channel.recipients if each is not seen_by]
        return body | {"recipients": [user(each) for each in others]}
    if channel.guild:
        body |= {"guild_id": str(channel.guild.id), "name": channel.name, "rate_limit_per_user": channel.slowmode}
    if channel.thread:
        return body | _thread(channel, channel.thread, seen_by)
    return body | {
        "topic": channel.topic,
        "position": 0,
        "nsfw": False,
        "parent_id": str(channel.category.id) if channel.category else None,
        "permission_overwrites": overwrites(channel),
        "last_pin_timestamp": None,
    }


def _thread(channel: DiscordChannel, thread: Thread, seen_by: DiscordUser | None) -> Json:
    written = sum(not each.ephemeral for each in channel.messages.values())
    body: Json = {
        "parent_id": str(thread.parent.id),
        "owner_id": str(thread.owner.id),
        "member_count": min(50, len(thread.members)),
        "message_count": written,
        "total_message_sent": written,
        "thread_metadata": {
            "archived": thread.archived,
            "locked": thread.locked,
            "auto_archive_duration": thread.auto_archive_minutes,
            "archive_timestamp": stamp(thread.archive_changed_at),
            "create_timestamp": created_at(channel.id),
        },
    }
    if channel.kind is ChannelType.PRIVATE_THREAD:
        body["thread_metadata"]["invitable"] = thread.invitable
    if seen_by and seen_by.id in thread.members:
        body["member"] = thread_member(channel, seen_by.id)
    return body


def thread_member(channel: DiscordChannel, user_id: int) -> Json:
    joined = channel.thread.members.get(user_id, time.time()) if channel.thread else time.time()
    return {"id": str(channel.id), "user_id": str(user_id), "join_timestamp": stamp(joined), "flags": 1}


def attachment(attachment: Attachment) -> Json:
    body: Json = {
        "id": str(attachment.id),
        "filename": attachment.name,
        "size": len(attachment.content),
        "url": attachment.url,
        "proxy_url": attachment.url,
        "content_type": attachment.content_type,
        "ephemeral": attachment.ephemeral,
    }
    if attachment.description is not None:
        body["description"] = attachment.description
    return body


def emoji(name: str) -> Json:
    label, _, number = name.rpartition(":")
    return {"id": number, "name": label} if label else {"id": None, "name": name}


def message(message: DiscordMessage, *, seen_by: DiscordUser | None = None, nested: bool = False) -> Json:
    guild = message.channel.guild
    body: Json = {
        "id": str(message.id),
        "channel_id": str(message.channel.id),
        "type": int(message.type),
        "author": user(message.author),
        "content": message.content,
        "timestamp": created_at(message.id),
        "edited_timestamp": stamp(message.edited_at) if message.edited_at else None,
        "tts": message.tts,
        "mention_everyone": message.everyone_pinged,
        "mentions": [user(each) for each in message.pings],
        "mention_roles": [str(each.id) for each in message.role_pings],
        "attachments": [attachment(each) for each in message.attachments],
        "embeds": message.embeds,
        "components": message.components,
        "pinned": message.pinned,
        "flags": int(message.flags),
    }
    if message.reactions:
        body["reactions"] = [_reaction(name, users, seen_by) for name, users in message.reactions.items()]
    if message.interaction:
        body["interaction_metadata"] = message.interaction
    if message.webhook_id is not None:
        body |= {"webhook_id": str(message.webhook_id), "application_id": str(message.webhook_id)}
    if message.nonce is not None:
        body["nonce"] = message.nonce
    if message.reference:
        body["message_reference"] = message.reference
    if message.reply_to and not nested:
        gone = message.reply_to.deleted
        body["referenced_message"] = None if gone else _referenced(message.reply_to, seen_by)
    if message.thread and message.flags & MessageFlag.HAS_THREAD:
        body["thread"] = channel(message.thread, seen_by=seen_by)
    if guild and not nested:
        body["guild_id"] = str(guild.id)
    return body


def _referenced(replied_to: DiscordMessage, seen_by: DiscordUser | None) -> Json:
    return message(replied_to, seen_by=seen_by, nested=True)


def _reaction(name: str, users: list[DiscordUser], seen_by: DiscordUser | None) -> Json:
    return {
        "emoji": emoji(name),
        "count": len(users),
        "count_details": {"burst": 0, "normal": len(users)},
        "me": seen_by in users,
        "me_burst": False,
        "burst_colors": [],
    }


def dispatched_message(message_: DiscordMessage) -> Json:
    """Return a message as the gateway sends it: in a guild, with the author's membership."""
    body = message(message_)
    guild = message_.channel.guild
    if guild and (author := guild.members.get(message_.author.id)) and message_.webhook_id is None:
        body["member"] = member(author, with_user=False)
    if guild:
        for each in body["mentions"]:
            if mentioned := guild.members.get(int(each["id"])):
                each["member"] = member(mentioned, with_user=False)
    return body


def guild(guild: Guild) -> Json:
    """Return the response to `GET /guilds/{id}`."""
    return {
        "id": str(guild.id),
        "name": guild.name,
        "icon": None,
        "icon_hash": None,
        "splash": None,
        "discovery_splash": None,
        "banner": None,
        "description": None,
        "owner_id": str(guild.owner.id),
        "region": "sandbox",
        "afk_channel_id": None,
        "afk_timeout": 300,
        "system_channel_id": None,
        "system_channel_flags": 0,
        "widget_enabled": False,
        "widget_channel_id": None,
        "verification_level": 0,
        "default_message_notifications": 0,
        "mfa_level": 0,
        "explicit_content_filter": 0,
        "max_presences": None,
        "max_members": 500_000,
        "max_video_channel_users": 25,
        "max_stage_video_channel_users": 50,
        "vanity_url_code": None,
        "premium_tier": 0,
        "premium_subscription_count": 0,
        "premium_progress_bar_enabled": False,
        "preferred_locale": LOCALE,
        "rules_channel_id": None,
        "safety_alerts_channel_id": None,
        "public_updates_channel_id": None,
        "application_id": None,
        "nsfw": False,
        "nsfw_level": 0,
        "roles": roles(guild),
        "emojis": [],
        "stickers": [],
        "features": [],
        "incidents_data": None,
    }


def gateway_guild(guild_: Guild, channels: list[DiscordChannel], me: DiscordMember) -> Json:
    """Return a guild as `GUILD_CREATE` sends it, with the channels that this member sees."""
    return guild(guild_) | {
        "joined_at": stamp(me.joined_at),
        "large": False,
        "unavailable": False,
        "member_count": len(guild_.members),
        "members": [member(each) for each in guild_.members.values()],
        "channels": [channel(each) for each in channels if not each.thread],
        "threads": [channel(each, seen_by=me.user) for each in channels if each.thread and not each.thread.archived],
        "voice_states": [],
        "presences": [],
        "stage_instances": [],
        "guild_scheduled_events": [],
        "soundboard_sounds": [],
        "version": str(snowflake()),
    }
