"""The sandbox's page, started as a newcomer would or for a Discord server with a small bot."""

import math
from collections.abc import AsyncIterator
from pathlib import Path

from sandbox import claude_command, run
from sandbox.discord import TimeLimits
from sandbox.discord import serve as serve_discord
from sandbox.page import server
from tests.fixtures.browser import fixture
from tests.fixtures.discord_openapi import judge
from tests.fixtures.discord_server import DiscordServer, new_server
from tests.sandbox.discord.hikari_bot import Bot, running


@fixture
async def scripted(tmp_path: Path) -> AsyncIterator[server.Page]:
    """The sandbox as a newcomer starts it."""
    agent = claude_command.scripted("It needs no account.").with_sessions_in(tmp_path / "claude")
    async with run.opened(tmp_path, run.sample(tmp_path), agent) as page:
        yield page


@fixture
async def discord_server() -> AsyncIterator[DiscordServer]:
    """A Discord with ada and eve in it, and no bot."""
    async with serve_discord(pace=TimeLimits(speed=math.inf), judge=judge) as discord:
        yield new_server(discord)


@fixture
async def page(discord_server: DiscordServer) -> AsyncIterator[server.Page]:
    """A page for the Discord server."""
    about = server.PageInfo("Nobody", "", (discord_server.ada.user, discord_server.eve.user), discord_server.channel)
    async with server.serve(discord_server.discord, about) as page:
        yield page


@fixture
async def bot(discord_server: DiscordServer) -> AsyncIterator[Bot]:
    """A small bot on the Discord server."""
    async with running(discord_server.discord) as bot:
        yield bot
    assert discord_server.discord.violations == []
