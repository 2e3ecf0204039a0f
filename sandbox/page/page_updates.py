"""Turns Discord's events into updates for a person's page: each has the new state of what changed."""

from sandbox.discord import DiscordMessage, DiscordUser, Dispatch, World, payloads
from sandbox.discord.state.entities import ChannelType, Json

MESSAGE_EVENTS = frozenset({"MESSAGE_CREATE", "MESSAGE_UPDATE", "MESSAGE_REACTION_ADD", "MESSAGE_REACTION_REMOVE"})
CHANNEL_EVENTS = frozenset({"CHANNEL_CREATE", "CHANNEL_UPDATE", "THREAD_CREATE", "THREAD_UPDATE"})
IGNORED_EVENTS = frozenset(
    {
        "CHANNEL_PINS_UPDATE",
        "INTERACTION_CREATE",
        "INTERACTION_FAILURE",
        "INTERACTION_MODAL_CREATE",
        "INTERACTION_SUCCESS",
    }
)
"""Events that pages don't need, or that are part of the reply to the page's own request."""


def page_update(world: World, user: DiscordUser, dispatch: Dispatch) -> Json | None:  # noqa: PLR0911 - one for each kind
    """Return the update for this person's page after a dispatch, or None if nothing changes on it."""
    data = dispatch.data
    if dispatch.event in MESSAGE_EVENTS:
        return _message(world, user, data)
    if dispatch.event in CHANNEL_EVENTS:
        return _channel(world, user, int(data["id"]))
    match dispatch.event:
        case "MESSAGE_DELETE":
            return {"gone": {"channel": data["channel_id"], "message": data["id"]}}
        case "CHANNEL_DELETE" | "THREAD_DELETE":
            return {"left": data["id"]}
        case "TYPING_START":
            return {"typing": {"channel": data["channel_id"], "user": data["user_id"]}}
        case "THREAD_MEMBERS_UPDATE" if not _is_private(world, int(data["id"])):
            return None
        case event if event in IGNORED_EVENTS:
            return None
        case _:  # rare, and of many kinds: the page reloads everything
            return {"snapshot": world.snapshot(user)}


def _message(world: World, user: DiscordUser, data: Json) -> Json | None:
    channel = world.channels.get(int(data["channel_id"]))
    number = int(data.get("message_id") or data["id"])
    found: DiscordMessage | None = channel.messages.get(number) if channel else None
    return {"message": payloads.message(found, seen_by=user)} if found else None


def _channel(world: World, user: DiscordUser, number: int) -> Json | None:
    channel = world.channels.get(number)
    if channel is None:
        return None
    permissions = str(int(world.permissions(user, channel)))
    return {"channel": payloads.channel(channel, seen_by=user) | {"permissions": permissions}}


def _is_private(world: World, number: int) -> bool:
    channel = world.channels.get(number)
    return channel is not None and channel.kind is ChannelType.PRIVATE_THREAD
