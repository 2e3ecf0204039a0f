"""Routes for channels and threads."""

from sandbox.discord import errors, payloads
from sandbox.discord.errors import invalid
from sandbox.discord.rest import request_bodies
from sandbox.discord.rest.api_request import ApiAnswer, ApiRequest, RateLimited, Route
from sandbox.discord.state import messages, threads
from sandbox.discord.state.entities import ChannelType, DiscordChannel, DiscordUser, Json, Permission
from sandbox.discord.validation import message_limits


def get(call: ApiRequest) -> ApiAnswer:
    return payloads.channel(call.channel(), seen_by=call.me)


def change(call: ApiRequest) -> ApiAnswer:
    channel, body = call.channel(), call.body
    message_limits.check_thread(body)
    _may_change(call, channel, body)
    name = body.get("name")
    if name is not None and name != channel.name:
        verdict = call.rates.admit_name_change(channel.id)
        if verdict.refusal:
            raise RateLimited(verdict.headers, verdict.refusal)
    wanted = threads.ChannelEdit(
        name=name,
        topic=body.get("topic"),
        slowmode=body.get("rate_limit_per_user"),
        archived=body.get("archived"),
        locked=body.get("locked"),
        auto_archive_minutes=body.get("auto_archive_duration"),
        invitable=body.get("invitable"),
    )
    threads.change(call.world, channel, call.me, wanted)
    return payloads.channel(channel, seen_by=call.me)


def _may_change(call: ApiRequest, channel: DiscordChannel, body: Json) -> None:
    thread = channel.thread
    if thread is None:
        call.world.require(call.me, channel, Permission.MANAGE_CHANNELS)
        return
    manages = bool(call.world.permissions(call.me, channel) & Permission.MANAGE_THREADS)
    if thread.archived and body.get("archived") is not False:
        raise errors.thread_archived()
    if thread.locked and not manages:
        raise errors.missing_permissions()
    owns = thread.owner is call.me
    needs_managing = {"locked", "rate_limit_per_user"} & set(body) or not (owns or set(body) <= {"archived"})
    opens = body.get("archived") is False and set(body) == {"archived"}
    if not manages and (needs_managing or (not owns and not opens)):
        raise errors.missing_permissions()


def delete(call: ApiRequest) -> ApiAnswer:
    channel = call.channel()
    if channel.kind is not ChannelType.DM:
        needed = Permission.MANAGE_THREADS if channel.thread else Permission.MANAGE_CHANNELS
        call.world.require(call.me, channel, needed)
    threads.remove(call.world, channel)
    return payloads.channel(channel)


def open_on_message(call: ApiRequest) -> ApiAnswer:
    message = call.message(Permission.CREATE_PUBLIC_THREADS)
    return _open(
        call, message.channel, threads.ThreadDraft(_name(call), message, ChannelType.PUBLIC_THREAD, _pace(call))
    )


def open_alone(call: ApiRequest) -> ApiAnswer:
    channel = call.channel()
    public = call.body.get("type", ChannelType.PRIVATE_THREAD) == ChannelType.PUBLIC_THREAD
    call.world.require(
        call.me, channel, Permission.CREATE_PUBLIC_THREADS if public else Permission.CREATE_PRIVATE_THREADS
    )
    kind = ChannelType.PUBLIC_THREAD if public else ChannelType.PRIVATE_THREAD
    invitable = bool(call.body.get("invitable", True))
    return _open(call, channel, threads.ThreadDraft(_name(call), None, kind, _pace(call), invitable))


def _open(call: ApiRequest, channel: DiscordChannel, plan: threads.ThreadDraft) -> ApiAnswer:
    return payloads.channel(threads.open_thread(call.world, channel, call.me, plan), seen_by=call.me)


def _name(call: ApiRequest) -> str:
    message_limits.require_field(call.body, "name")
    message_limits.check_thread(call.body)
    return str(call.body["name"]).strip()


def _pace(call: ApiRequest) -> int:
    return call.body.get("auto_archive_duration") or 4320


def _thread(call: ApiRequest) -> DiscordChannel:
    channel = call.channel()
    if channel.thread is None:
        raise errors.wrong_channel_type()
    return channel


def members(call: ApiRequest) -> ApiAnswer:
    thread = _thread(call)
    found = thread.thread.members if thread.thread else {}
    return [payloads.thread_member(thread, each) for each in found]


def member(call: ApiRequest) -> ApiAnswer:
    thread, user = _thread(call), call.user()
    if thread.thread is None or user.id not in thread.thread.members:
        raise errors.unknown_member()
    return payloads.thread_member(thread, user.id)


def join(call: ApiRequest) -> ApiAnswer:
    thread = _thread(call)
    if thread.thread and thread.thread.archived:
        raise errors.thread_archived()
    user = call.user()
    if thread.guild and user.id not in thread.guild.members:
        raise errors.unknown_member()
    messages.join(call.world, thread, user)
    return None


def leave(call: ApiRequest) -> ApiAnswer:
    thread, user = _thread(call), call.user()
    if user is not call.me:
        call.world.require(call.me, thread, Permission.MANAGE_THREADS)
    threads.leave(call.world, thread, user)
    return None


def active(call: ApiRequest) -> ApiAnswer:
    seen = call.world.channels_seen_by(call.me, call.guild())
    return _listed([each for each in seen if each.thread and not each.thread.archived], call.me)


def archived_public(call: ApiRequest) -> ApiAnswer:
    found = [
        each
        for each in call.world.threads(call.channel(Permission.READ_MESSAGE_HISTORY))
        if each.thread
        and each.thread.archived
        and each.kind is ChannelType.PUBLIC_THREAD
        and call.world.sees(call.me, each)
    ]
    found.sort(key=lambda each: each.thread.archive_changed_at if each.thread else 0, reverse=True)
    return _listed(found, call.me) | {"has_more": False}


def _listed(found: list[DiscordChannel], me: DiscordUser) -> Json:
    mine = [each for each in found if each.thread and me.id in each.thread.members]
    return {
        "threads": [payloads.channel(each, seen_by=me) for each in found],
        "members": [payloads.thread_member(each, me.id) for each in mine],
    }


def open_dm(call: ApiRequest) -> ApiAnswer:
    message_limits.require_field(call.body, "recipient_id")
    user = call.world.users.get(request_bodies.snowflake(call.body["recipient_id"], "recipient_id"))
    if user is None or user.bot:
        raise invalid(("recipient_id",), "USER_UNKNOWN", "Unknown user")
    return payloads.channel(call.world.dm(call.me, user), seen_by=call.me)


_MEMBERS = "/channels/{channel_id}/thread-members"

ROUTES = (
    Route("POST", "/users/@me/channels", open_dm),
    Route("GET", "/channels/{channel_id}", get),
    Route("PATCH", "/channels/{channel_id}", change),
    Route("DELETE", "/channels/{channel_id}", delete),
    Route("POST", "/channels/{channel_id}/messages/{message_id}/threads", open_on_message, status=201),
    Route("POST", "/channels/{channel_id}/threads", open_alone, status=201),
    Route("GET", "/channels/{channel_id}/threads/archived/public", archived_public),
    Route("GET", _MEMBERS, members),
    Route("PUT", f"{_MEMBERS}/@me", join),
    Route("DELETE", f"{_MEMBERS}/@me", leave),
    Route("GET", f"{_MEMBERS}/{{user_id}}", member),
    Route("PUT", f"{_MEMBERS}/{{user_id}}", join),
    Route("DELETE", f"{_MEMBERS}/{{user_id}}", leave),
    Route("GET", "/guilds/{guild_id}/threads/active", active),
)
