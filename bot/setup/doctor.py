"""Runs all checks of `claude-discord doctor`."""

import asyncio
import time
from collections.abc import AsyncIterator
from pathlib import Path

from bot import config, store
from bot.config import Settings
from bot.errors import ConfigError
from bot.local_api.client import BotClient
from bot.setup import discord_checks, machine_checks
from bot.setup.discord_api import DiscordApi, DiscordApiError, DiscordUnreachable, looks_like_a_token, open_api
from bot.setup.discord_permissions import NEEDED_FOR_PANEL
from bot.setup.findings import Finding, Ok, Problem
from bot.setup.own_files import find_own_exposure
from bot.store.settings import added_in

RESET = "reset it in the Developer Portal (your application → Bot → Reset Token), then change DISCORD_TOKEN"
REVIEW = "review the changes with claude-discord reload, or with claude-discord run if no bot is running"
INIT = "run `claude-discord init`"


async def run_checks(path: Path) -> AsyncIterator[Finding]:
    """Yield the finding of every check, the machine first; skip checks that depend on something broken."""
    yield Finding("python", machine_checks.python())
    before = config.confirmed_configs.settings(path)
    settings, read = _read_configuration(path, before)
    yield Finding("configuration", read)
    async for finding in _claude_findings(_claude_command(settings, path)):
        yield finding
    state = next((each.state for each in (settings, before) if each), None) or config.state_of(path)
    yield Finding("state folder", machine_checks.state_folder(state))
    bot = BotClient(state)
    if settings:
        yield Finding("port", machine_checks.port(settings.port, bot))
    known = settings or before
    api = known.discord_api if known else config.glimpse(path, "discord_api")
    async for finding in _token_findings(path, settings, api, running=bot.health() is not None):
        yield finding


def _claude_command(settings: Settings | None, path: Path) -> tuple[str, ...] | None:
    """Return the `claude` command; None if it is in a configuration that can't be read."""
    if settings is None:
        return None if path.exists() else ("claude",)
    return settings.claude.command


async def _claude_findings(command: tuple[str, ...] | None) -> AsyncIterator[Finding]:
    if command is None:
        return
    found = machine_checks.claude(command)
    yield Finding("claude", found)
    if isinstance(found, Ok):
        version, login = await asyncio.gather(
            machine_checks.claude_version(command), machine_checks.claude_login(command)
        )
        yield Finding("claude's version", version)
        yield Finding("claude's login", login)


def _read_configuration(path: Path, before: Settings | None) -> tuple[Settings | None, Ok | Problem]:
    """Read the file; return the last confirmed settings if its changes still need an owner's approval."""
    try:
        settings = config.load(path)
    except ConfigError as error:
        return None, Problem(str(error), "correct it" if path.exists() else INIT)
    tried = settings
    read: Ok | Problem = Ok(str(path))
    if before and any(each.loosens for each in config.differences(before, settings)):
        tried, read = before, Problem(f"{path} has changed and needs an owner's approval", REVIEW)
    if found := find_own_exposure(settings, path):
        read = Problem(found.says, found.cure)
    return tried, read


async def _token_findings(
    path: Path, settings: Settings | None, api_base: str | None, *, running: bool
) -> AsyncIterator[Finding]:
    token = config.secret(folder=path.parent)
    if token is None:
        yield Finding("token", Problem("no token is configured", INIT))
        return
    secret = path.parent / ".env"
    from_file = config.secret({}, folder=path.parent) == token
    yield Finding("secret file", machine_checks.secret_file(secret if from_file else None))
    if not looks_like_a_token(token):
        yield Finding("token", Problem("it does not look like a bot token", RESET))
        return
    try:
        async with open_api(token, api_base) as api:
            async for finding in _discord_findings(api, settings, running=running):
                yield finding
    except DiscordApiError as error:
        yield Finding("token", Problem(str(error), RESET if error.refusal == 401 else "try again later"))
    except DiscordUnreachable as error:
        yield Finding("discord", Problem(str(error), "check the network, then try again"))


def _channels(settings: Settings) -> list[tuple[str, int]]:
    """Return the channels of all projects, in the file and added from Discord."""
    file = [(name, project.channels) for name, project in settings.projects.items()]
    added = [
        (each.name, each.channels)
        for each in added_in(settings.state / store.FILE_NAME)
        if each.name not in settings.projects and any(each.folder.is_relative_to(root) for root in settings.roots)
    ]
    return [(name, channel) for name, channels in sorted(file + added) for channel in sorted(channels)]


async def _discord_findings(api: DiscordApi, settings: Settings | None, *, running: bool) -> AsyncIterator[Finding]:
    yield Finding("clock", discord_checks.clock(await api.time(), time.time()))
    application = await api.application()
    yield Finding("token", Ok(f"belongs to {application.name}"))
    yield Finding("intents", discord_checks.intent(application))
    yield Finding("interactions", discord_checks.endpoint(application))
    yield Finding("commands", discord_checks.commands(await api.commands(application.id), running=running))
    for name, channel in _channels(settings) if settings else ():
        yield Finding(f"channel {channel} of {name}", await discord_checks.channel(channel, api, application))
    if settings and settings.panel is not None:
        yield Finding("panel", await discord_checks.channel(settings.panel, api, application, NEEDED_FOR_PANEL))
