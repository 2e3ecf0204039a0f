"""Routes for messages, reactions, pins and typing."""

from urllib.parse import unquote

from sandbox.discord import errors, payloads
from sandbox.discord.errors import invalid
from sandbox.discord.rest import request_bodies
from sandbox.discord.rest.api_request import ApiAnswer, ApiRequest, Route
from sandbox.discord.state import messages
from sandbox.discord.state.entities import DiscordChannel, DiscordMessage, MessageFlag, MessageType, Permission, stamp

WRITTEN = frozenset({MessageType.DEFAULT, MessageType.REPLY, MessageType.COMMAND, MessageType.CONTEXT_MENU})


def create(call: ApiRequest) -> ApiAnswer:
    channel = call.channel()
    draft = request_bodies.draft(call.body, call.files, channel)
    if draft.flags & MessageFlag.EPHEMERAL:
        raise invalid(("flags",), "MESSAGE_FLAGS_INVALID", "Ephemeral is for interactions only")
    if draft.reply_to:
        call.world.require(call.me, channel, Permission.READ_MESSAGE_HISTORY)
    return payloads.message(messages.write(call.world, channel, call.me, draft), seen_by=call.me)


def history(call: ApiRequest) -> ApiAnswer:
    channel = call.channel()
    if not call.world.permissions(call.me, channel) & Permission.READ_MESSAGE_HISTORY:
        return []
    found = [each for each in channel.messages.values() if not each.only_for]
    limit = call.count("limit", 50, 100)
    if around := call.query.get("around"):
        middle, half = request_bodies.snowflake(around, "around"), limit // 2
        older = [each for each in found if each.id < middle][-half:]
        chosen = older + [each for each in found if each.id >= middle][: half + 1]
    elif after := call.query.get("after"):
        start = request_bodies.snowflake(after, "after")
        chosen = [each for each in found if each.id > start][:limit]
    else:
        before = request_bodies.snowflake(call.query.get("before", 1 << 63), "before")
        chosen = [each for each in found if each.id < before][-limit:]
    return [payloads.message(each, seen_by=call.me) for each in reversed(chosen)]


def get(call: ApiRequest) -> ApiAnswer:
    return payloads.message(call.message(Permission.READ_MESSAGE_HISTORY), seen_by=call.me)


def edit(call: ApiRequest) -> ApiAnswer:
    message = call.message()
    changes = request_bodies.edit(call.body, call.files, message)
    only_flags = set(call.body) <= {"flags"}
    if message.author is not call.me and not (
        only_flags and call.world.permissions(call.me, message.channel) & Permission.MANAGE_MESSAGES
    ):
        raise errors.not_the_author()
    if message.type not in WRITTEN:
        raise errors.system_message()
    _refuse_archived(message.channel)
    return payloads.message(messages.edit(call.world, message, changes), seen_by=call.me)


def delete(call: ApiRequest) -> ApiAnswer:
    message = call.message()
    if message.type is MessageType.THREAD_STARTER:
        raise errors.system_message()
    if message.author is not call.me:
        call.world.require(call.me, message.channel, Permission.MANAGE_MESSAGES)
    _refuse_archived(message.channel)
    messages.delete(call.world, message)
    return None


def bulk_delete(call: ApiRequest) -> ApiAnswer:
    channel = call.channel(Permission.MANAGE_MESSAGES)
    ids = call.body.get("messages")
    if not isinstance(ids, list) or not 2 <= len(ids) <= 100:
        raise invalid(("messages",), "BASE_TYPE_BAD_LENGTH", "Must be between 2 and 100 in length.")
    for each in ids:
        if message := channel.messages.get(request_bodies.snowflake(each, "messages")):
            messages.delete(call.world, message)
    return None


def _refuse_archived(channel: DiscordChannel) -> None:
    if channel.thread and channel.thread.archived:
        raise errors.thread_archived()


def _emoji(call: ApiRequest) -> str:
    return unquote(call.path["emoji_name"])


def _is_emoji(name: str) -> bool:
    """Check for an emoji: a custom one is name:id, and the others never begin with an ASCII letter."""
    return name.rpartition(":")[2].isdigit() if ":" in name else not name.isascii() or name[:1] in "0123456789#*"


def react(call: ApiRequest) -> ApiAnswer:
    message = call.message(Permission.READ_MESSAGE_HISTORY)
    emoji = _emoji(call)
    if not _is_emoji(emoji):
        raise errors.DiscordRefusal(400, 10014, "Unknown Emoji")
    if emoji not in message.reactions:
        call.world.require(call.me, message.channel, Permission.ADD_REACTIONS)
        if len(message.reactions) >= 20:
            raise errors.DiscordRefusal(400, 30010, "Maximum number of reactions reached (20)")
    _refuse_archived(message.channel)
    messages.react(call.world, message, call.me, emoji)
    return None


def unreact(call: ApiRequest) -> ApiAnswer:
    message, user = call.message(), call.user()
    if user is not call.me:
        call.world.require(call.me, message.channel, Permission.MANAGE_MESSAGES)
    messages.unreact(call.world, message, user, _emoji(call))
    return None


def unreact_all(call: ApiRequest) -> ApiAnswer:
    message = call.message(Permission.MANAGE_MESSAGES)
    chosen = [_emoji(call)] if "emoji_name" in call.path else list(message.reactions)
    for emoji in chosen:
        for user in list(message.reactions.get(emoji, ())):
            messages.unreact(call.world, message, user, emoji)
    return None


def reactors(call: ApiRequest) -> ApiAnswer:
    return [payloads.user(each) for each in call.message().reactions.get(_emoji(call), ())]


def pins(call: ApiRequest) -> ApiAnswer:
    pinned = [each for each in call.channel().messages.values() if each.pinned]
    shown = [{"pinned_at": stamp(0), "message": payloads.message(each, seen_by=call.me)} for each in pinned]
    return {"items": shown, "has_more": False}


def pin(call: ApiRequest) -> ApiAnswer:
    return _pin(call, call.message(Permission.PIN_MESSAGES), pinned=True)


def unpin(call: ApiRequest) -> ApiAnswer:
    return _pin(call, call.message(Permission.PIN_MESSAGES), pinned=False)


def _pin(call: ApiRequest, message: DiscordMessage, *, pinned: bool) -> ApiAnswer:
    messages.pin(call.world, message, pinned=pinned)
    return None


def typing(call: ApiRequest) -> ApiAnswer:
    channel = call.channel()
    write = Permission.SEND_MESSAGES_IN_THREADS if channel.thread else Permission.SEND_MESSAGES
    call.world.require(call.me, channel, write)
    messages.typing(call.world, channel, call.me)
    return None


_MESSAGES = "/channels/{channel_id}/messages"
_REACTIONS = f"{_MESSAGES}/{{message_id}}/reactions"

ROUTES = (
    Route("POST", "/channels/{channel_id}/typing", typing),
    Route("GET", f"{_MESSAGES}/pins", pins),
    Route("PUT", f"{_MESSAGES}/pins/{{message_id}}", pin),
    Route("DELETE", f"{_MESSAGES}/pins/{{message_id}}", unpin),
    Route("PUT", "/channels/{channel_id}/pins/{message_id}", pin),
    Route("DELETE", "/channels/{channel_id}/pins/{message_id}", unpin),
    Route("POST", f"{_MESSAGES}/bulk-delete", bulk_delete),
    Route("POST", _MESSAGES, create),
    Route("GET", _MESSAGES, history),
    Route("GET", f"{_MESSAGES}/{{message_id}}", get),
    Route("PATCH", f"{_MESSAGES}/{{message_id}}", edit),
    Route("DELETE", f"{_MESSAGES}/{{message_id}}", delete),
    Route("DELETE", _REACTIONS, unreact_all),
    Route("GET", f"{_REACTIONS}/{{emoji_name}}", reactors),
    Route("DELETE", f"{_REACTIONS}/{{emoji_name}}", unreact_all),
    Route("PUT", f"{_REACTIONS}/{{emoji_name}}/@me", react),
    Route("DELETE", f"{_REACTIONS}/{{emoji_name}}/@me", unreact),
    Route("DELETE", f"{_REACTIONS}/{{emoji_name}}/{{user_id}}", unreact),
)
