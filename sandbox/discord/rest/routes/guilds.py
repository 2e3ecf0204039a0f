"""Routes for guilds, members, roles and users."""

from sandbox.discord import errors, payloads
from sandbox.discord.errors import FormErrors
from sandbox.discord.rest.api_request import ApiAnswer, ApiRequest, Route
from sandbox.discord.state.entities import ChannelType, Permission
from sandbox.discord.validation.fields import text
from sandbox.discord.validation.message_limits import require_field

MEMBERS_GRANTED = 1 << 14 | 1 << 15
"""The flags that allow an application to list members."""


def get(call: ApiRequest) -> ApiAnswer:
    guild = call.guild()
    counts = {"approximate_member_count": len(guild.members), "approximate_presence_count": len(guild.members)}
    return payloads.guild(guild) | (counts if call.query.get("with_counts") == "true" else {})


def channels(call: ApiRequest) -> ApiAnswer:
    seen = call.world.channels_seen_by(call.me, call.guild())
    return [payloads.channel(each) for each in seen if not each.thread]


def add_channel(call: ApiRequest) -> ApiAnswer:
    guild, form = call.guild(), FormErrors()
    require_field(call.body, "name")
    text(form, ("name",), call.body["name"], least=1, most=100, required=True)
    form.check()
    roles = [guild.everyone, *guild.members[call.me.id].roles]
    if not any(each.permissions & (Permission.MANAGE_CHANNELS | Permission.ADMINISTRATOR) for each in roles):
        raise errors.missing_permissions()
    kind = ChannelType(call.body.get("type") or 0)
    channel = call.world.add_channel(guild, call.body["name"], kind=kind, topic=call.body.get("topic"))
    return payloads.channel(channel)


def members(call: ApiRequest) -> ApiAnswer:
    if not call.world.application.flags & MEMBERS_GRANTED:
        raise errors.missing_access()
    after, limit = int(call.query.get("after", "0")), call.count("limit", 1, 1000)
    found = sorted(call.guild().members.values(), key=lambda each: each.id)
    return [payloads.member(each) for each in found if each.id > after][:limit]


def member(call: ApiRequest) -> ApiAnswer:
    found = call.guild().members.get(call.number("user_id"))
    if found is None:
        raise errors.unknown_member()
    return payloads.member(found)


def roles(call: ApiRequest) -> ApiAnswer:
    return payloads.roles(call.guild())


def me(call: ApiRequest) -> ApiAnswer:
    return payloads.own_user(call.me)


def user(call: ApiRequest) -> ApiAnswer:
    return payloads.user(call.user())


def my_guilds(call: ApiRequest) -> ApiAnswer:
    mine = [each for each in call.world.guilds.values() if call.me.id in each.members]
    return [
        {
            "id": str(each.id),
            "name": each.name,
            "icon": None,
            "banner": None,
            "owner": each.owner is call.me,
            "permissions": str(int(each.everyone.permissions)),
            "features": [],
        }
        for each in mine
    ]


ROUTES = (
    Route("GET", "/users/@me", me),
    Route("GET", "/users/@me/guilds", my_guilds),
    Route("GET", "/users/{user_id}", user),
    Route("GET", "/guilds/{guild_id}", get),
    Route("GET", "/guilds/{guild_id}/channels", channels),
    Route("POST", "/guilds/{guild_id}/channels", add_channel, status=201),
    Route("GET", "/guilds/{guild_id}/members", members),
    Route("GET", "/guilds/{guild_id}/members/{user_id}", member),
    Route("GET", "/guilds/{guild_id}/roles", roles),
)
