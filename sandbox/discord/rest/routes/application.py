"""Routes for the application: its details, its commands, and the gateway's URL."""

from sandbox.discord import errors, payloads
from sandbox.discord.rest.api_request import ApiAnswer, ApiRequest, Route
from sandbox.discord.state.entities import Json, snowflake
from sandbox.discord.validation.command_limits import check_command, check_commands


def gateway(call: ApiRequest) -> ApiAnswer:
    return {"url": call.gateway.url}


def gateway_bot(call: ApiRequest) -> ApiAnswer:
    left = {"total": 1000, "remaining": 1000 - call.gateway.identifies, "reset_after": 86_400_000, "max_concurrency": 1}
    return {"url": call.gateway.url, "shards": 1, "session_start_limit": left}


def application(call: ApiRequest) -> ApiAnswer:
    app = call.world.application
    return {
        "id": str(app.id),
        "name": app.name,
        "icon": None,
        "cover_image": None,
        "description": "",
        "summary": "",
        "type": None,
        "bot": payloads.user(app.bot),
        "bot_public": False,
        "bot_require_code_grant": False,
        "is_monetized": False,
        "verify_key": "00" * 32,
        "flags": app.flags,
        "hook": True,
        "owner": payloads.user(app.owner),
        "team": None,
        "redirect_uris": [],
        "interactions_endpoint_url": app.interactions_endpoint_url,
        "role_connections_verification_url": None,
        "event_webhooks_url": None,
        "event_webhooks_status": 1,
        "approximate_guild_count": len(call.world.guilds),
        "approximate_user_install_count": 0,
        "approximate_user_authorization_count": 0,
        "integration_types_config": {"0": {}},
        "tags": [],
    }


def change_application(call: ApiRequest) -> ApiAnswer:
    app = call.world.application
    if "interactions_endpoint_url" in call.body:
        app.interactions_endpoint_url = call.body["interactions_endpoint_url"] or None
    if isinstance(call.body.get("flags"), int):
        app.flags = call.body["flags"]
    return application(call)


def _scope(call: ApiRequest) -> int | None:
    if call.number("application_id") != call.world.application.id:
        raise errors.DiscordRefusal(403, 20012, "You are not authorized to perform this action on this application")
    return call.guild().id if "guild_id" in call.path else None


def _commands(call: ApiRequest) -> dict[int, Json]:
    return call.world.application.commands.setdefault(_scope(call), {})


def commands(call: ApiRequest) -> ApiAnswer:
    return list(_commands(call).values())


def put_commands(call: ApiRequest) -> ApiAnswer:
    known, wanted = _commands(call), check_commands(call.payload)
    fresh = [_registered(call, each, known) for each in wanted]
    known.clear()
    known.update({int(each["id"]): each for each in fresh})
    return fresh


def add_command(call: ApiRequest) -> ApiAnswer:
    known = _commands(call)
    check_command(call.body)
    command = _registered(call, call.body, known)
    known[int(command["id"])] = command
    return command


def _command(call: ApiRequest) -> Json:
    command = _commands(call).get(call.number("command_id"))
    if command is None:
        raise errors.unknown_command()
    return command


def command(call: ApiRequest) -> ApiAnswer:
    return _command(call)


def change_command(call: ApiRequest) -> ApiAnswer:
    command = _command(call) | call.body | {"version": str(snowflake())}
    check_command(command)
    _commands(call)[int(command["id"])] = command
    return command


def delete_command(call: ApiRequest) -> ApiAnswer:
    del _commands(call)[int(_command(call)["id"])]
    return None


def _registered(call: ApiRequest, wanted: Json, known: dict[int, Json]) -> Json:
    """Return a command as Discord stores it; a command with a known name keeps its id."""
    kind = wanted.get("type") or 1
    same = [each for each in known.values() if (each["type"], each["name"]) == (kind, wanted["name"])]
    body: Json = {
        "id": same[0]["id"] if same else str(snowflake()),
        "application_id": str(call.world.application.id),
        "version": str(snowflake()),
        "type": kind,
        "name": wanted["name"],
        "name_localizations": wanted.get("name_localizations"),
        "description": wanted.get("description") or "",
        "description_localizations": wanted.get("description_localizations"),
        "default_member_permissions": wanted.get("default_member_permissions"),
        "dm_permission": wanted.get("dm_permission", True),
        "nsfw": wanted.get("nsfw", False),
        "contexts": wanted.get("contexts"),
        "integration_types": wanted.get("integration_types") or [0],
    }
    if wanted.get("options"):
        body["options"] = [_option(each) for each in wanted["options"]]
    if (scope := _scope(call)) is not None:
        body["guild_id"] = str(scope)
    return body


def _option(option: Json) -> Json:
    """Remove fields that are false or empty, as Discord does."""
    kept = {key: value for key, value in option.items() if value not in (None, False, [], {})}
    if "options" in kept:
        kept["options"] = [_option(each) for each in kept["options"]]
    return kept


_GLOBAL = "/applications/{application_id}/commands"
_GUILD = "/applications/{application_id}/guilds/{guild_id}/commands"

ROUTES = (
    Route("GET", "/gateway", gateway, authorized=False),
    Route("GET", "/gateway/bot", gateway_bot),
    Route("GET", "/oauth2/applications/@me", application),
    Route("GET", "/applications/@me", application),
    Route("PATCH", "/applications/@me", change_application),
    *(
        route
        for base in (_GLOBAL, _GUILD)
        for route in (
            Route("GET", base, commands),
            Route("PUT", base, put_commands),
            Route("POST", base, add_command, status=201),
            Route("GET", f"{base}/{{command_id}}", command),
            Route("PATCH", f"{base}/{{command_id}}", change_command),
            Route("DELETE", f"{base}/{{command_id}}", delete_command),
        )
    ),
)
