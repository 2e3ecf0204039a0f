"""Finds the commands that a person may use, and builds the data that the bot receives."""

from collections.abc import Mapping

from sandbox.discord import payloads
from sandbox.discord.people.person_errors import PersonCannotError
from sandbox.discord.state.entities import (
    Attachment,
    DiscordChannel,
    DiscordMember,
    DiscordMessage,
    DiscordRole,
    DiscordUser,
    Json,
    Permission,
    Upload,
)
from sandbox.discord.state.world import World
from sandbox.discord.validation.command_limits import SUB_COMMAND, SUB_GROUP

STRING, INTEGER, BOOLEAN, NUMBER = 3, 4, 5, 10
Option = str | int | float | bool | DiscordUser | DiscordMember | DiscordChannel | DiscordRole | Upload


def find(world: World, user: DiscordUser, channel: DiscordChannel, name: str, kind: int) -> Json:
    """Find a command that this person may use here."""
    offered = [each for each in commands(world, user, channel) if each["type"] == kind]
    for command in reversed(offered):
        if command["name"] == name:
            return command
    names = ", ".join(each["name"] for each in offered) or "nothing"
    raise PersonCannotError(f"There is no command {name!r} here; {user.name} is offered {names}.")


def commands(world: World, user: DiscordUser, channel: DiscordChannel) -> list[Json]:
    """List the commands that a person may use in a channel; the guild's own commands come last."""
    may = world.permissions(user, channel)
    if not may & Permission.USE_APPLICATION_COMMANDS:
        return []
    found = list(world.application.commands.get(None, {}).values())
    if channel.guild:
        if world.bot.id not in channel.guild.members:
            return []
        found += world.application.commands.get(channel.guild.id, {}).values()
    return [each for each in found if _permitted(each, may)]


def _permitted(command: Json, may: Permission) -> bool:
    needed = command.get("default_member_permissions")
    return needed is None or (int(may) & int(needed) == int(needed) and needed != "0")


def chat_data(
    world: World, channel: DiscordChannel, command: Json, path: list[str], options: Mapping[str, Option]
) -> Json:
    """Return the `data` of a slash command; `path` lists its sub-commands."""
    resolved: Json = {}
    levels = _levels(command, path)
    typed = _typed(levels[-1], options, world, channel, resolved)
    return _nested(command, levels, typed, channel) | ({"resolved": resolved} if resolved else {})


def typing_data(channel: DiscordChannel, command: Json, path: list[str], option: str, typed: str) -> Json:
    """Return the `data` for autocomplete while one option is being typed."""
    levels = _levels(command, path)
    known = {each["name"]: each for each in levels[-1].get("options") or ()}
    if not known.get(option, {}).get("autocomplete"):
        raise PersonCannotError(f"/{command['name']} has no autocomplete for {option!r}.")
    focused = {"name": option, "type": known[option]["type"], "value": typed, "focused": True}
    return _nested(command, levels, [focused], channel)


def _levels(command: Json, path: list[str]) -> list[Json]:
    """List the command, then its groups and sub-commands along the path."""
    levels = [command]
    for step in path:
        inner = [each for each in levels[-1].get("options") or () if each["name"] == step]
        if not inner or inner[0]["type"] not in {SUB_COMMAND, SUB_GROUP}:
            raise PersonCannotError(f"/{command['name']} has no sub-command {step!r}.")
        levels.append(inner[0])
    return levels


def _nested(command: Json, levels: list[Json], typed: list[Json], channel: DiscordChannel) -> Json:
    for each in reversed(levels[1:]):
        typed = [{"name": each["name"], "type": each["type"], "options": typed}]
    return _data(command, channel) | {"options": typed}


def _typed(
    command: Json, options: Mapping[str, Option], world: World, channel: DiscordChannel, resolved: Json
) -> list[Json]:
    known = {each["name"]: each for each in command.get("options") or ()}
    if unknown := set(options) - set(known):
        raise PersonCannotError(f"/{command['name']} has no option {', '.join(sorted(unknown))}.")
    for name, option in known.items():
        if option.get("required") and name not in options:
            raise PersonCannotError(f"/{command['name']} needs {name}.")
    return [
        {"name": name, "type": known[name]["type"], "value": _value(known[name], value, world, channel, resolved)}
        for name, value in options.items()
    ]


def _value(option: Json, value: Option, world: World, channel: DiscordChannel, resolved: Json) -> object:
    match value:
        case str() | int() | float():
            return _plain(option, value)
        case Upload():
            return _uploaded(value, world, channel, resolved)
        case _:
            _resolve(value.user if isinstance(value, DiscordMember) else value, world, channel, resolved)
            return str(value.id)


def _uploaded(upload: Upload, world: World, channel: DiscordChannel, resolved: Json) -> str:
    kind = upload.content_type or "application/octet-stream"
    attachment = Attachment(upload.name, upload.content, "", kind, ephemeral=True)
    attachment.url = f"{world.base_url}/attachments/{channel.id}/{attachment.id}/{upload.name}"
    world.attachments[attachment.id] = attachment
    resolved.setdefault("attachments", {})[str(attachment.id)] = payloads.attachment(attachment)
    return str(attachment.id)


def _resolve(
    value: DiscordUser | DiscordChannel | DiscordRole, world: World, channel: DiscordChannel, resolved: Json
) -> None:
    """Add a chosen user, channel or role to `resolved`."""
    match value:
        case DiscordChannel():
            shown = payloads.channel(value) | {"permissions": str(int(world.permissions(world.bot, value)))}
            resolved.setdefault("channels", {})[str(value.id)] = shown
        case DiscordRole():
            resolved.setdefault("roles", {})[str(value.id)] = payloads.role(value, 1)
        case DiscordUser():
            resolve_user(value, channel, resolved)


def resolved_ids(world: World, channel: DiscordChannel, ids: list[str]) -> Json:
    """Resolve the entries that were chosen in a menu of users, roles or channels."""
    resolved: Json = {}
    roles = channel.guild.roles if channel.guild else {}
    for each in ids:
        number = int(each)
        found = world.users.get(number) or roles.get(number) or world.channels.get(number)
        if found is None:
            raise PersonCannotError(f"There is no user, role or channel with the id {each}.")
        _resolve(found, world, channel, resolved)
    return resolved


def resolve_user(user: DiscordUser, channel: DiscordChannel, resolved: Json) -> None:
    resolved.setdefault("users", {})[str(user.id)] = payloads.user(user)
    if channel.guild and (member := channel.guild.members.get(user.id)):
        shown = payloads.member(member, with_user=False) | {"permissions": str(int(channel.guild.everyone.permissions))}
        resolved.setdefault("members", {})[str(user.id)] = shown


def _plain(option: Json, value: str | float) -> str | float:
    kinds: dict[int, tuple[type, ...]] = {STRING: (str,), INTEGER: (int,), BOOLEAN: (bool,), NUMBER: (int, float)}
    if not isinstance(value, kinds.get(option["type"], (str, int, float))):
        raise PersonCannotError(f"{option['name']} cannot be {value!r}.")
    if choices := option.get("choices"):
        for choice in choices:
            if value in (choice["name"], choice["value"]):
                return choice["value"]  # type: ignore[no-any-return]
        raise PersonCannotError(f"{option['name']} is one of {[each['name'] for each in choices]}, not {value!r}.")
    if isinstance(value, str) and len(value) > option.get("max_length", 6000):
        raise PersonCannotError(f"{option['name']} is at most {option['max_length']} characters long.")
    return value


def menu_data(world: World, command: Json, target: DiscordMessage | DiscordUser, channel: DiscordChannel) -> Json:
    """Return the `data` of a command from a context menu."""
    resolved: Json = {}
    if isinstance(target, DiscordMessage):
        resolved["messages"] = {str(target.id): payloads.message(target, seen_by=world.bot)}
    else:
        resolve_user(target, channel, resolved)
    return _data(command, channel) | {"target_id": str(target.id), "resolved": resolved}


def _data(command: Json, channel: DiscordChannel) -> Json:
    data: Json = {"id": command["id"], "name": command["name"], "type": command["type"]}
    if "guild_id" in command and channel.guild:
        data["guild_id"] = command["guild_id"]
    return data
