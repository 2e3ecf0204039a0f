"""What a person's page is told: everything at first, then each thing that changed, as it is now."""

from sandbox.discord import DiscordMessage, DiscordUser, Dispatch, World, payloads
from sandbox.discord.state.entities import ChannelType, Json

ABOUT_MESSAGES = frozenset({"MESSAGE_CREATE", "MESSAGE_UPDATE", "MESSAGE_REACTION_ADD", "MESSAGE_REACTION_REMOVE"})
ABOUT_CHANNELS = frozenset({"CHANNEL_CREATE", "CHANNEL_UPDATE", "THREAD_CREATE", "THREAD_UPDATE"})
ELSEWHERE = frozenset(
    {
        "CHANNEL_PINS_UPDATE",
        "INTERACTION_CREATE",
        "INTERACTION_FAILURE",
        "INTERACTION_MODAL_CREATE",
        "INTERACTION_SUCCESS",
    }
)
"""Not for pages, or told in the answer to what the page asked."""


def page_update(world: World, user: DiscordUser, change: Dispatch) -> Json | None:  # noqa: PLR0911 - one for each kind
    """Say what a change means for this person's page; None when it means nothing."""
    data = change.data
    if change.event in ABOUT_MESSAGES:
        return _message(world, user, data)
    if change.event in ABOUT_CHANNELS:
        return _channel(world, user, int(data["id"]))
    match change.event:
        case "MESSAGE_DELETE":
            return {"gone": {"channel": data["channel_id"], "message": data["id"]}}
        case "CHANNEL_DELETE" | "THREAD_DELETE":
            return {"left": data["id"]}
        case "TYPING_START":
            return {"typing": {"channel": data["channel_id"], "user": data["user_id"]}}
        case "THREAD_MEMBERS_UPDATE" if not _is_private(world, int(data["id"])):
            return None
        case event if event in ELSEWHERE:
            return None
        case _:  # rare, and of many kinds: the page begins anew
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
