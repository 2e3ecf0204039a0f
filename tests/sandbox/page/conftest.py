"""A browser, the sandbox's page in it, on a laptop and on a phone."""

import functools
import math
import shutil
from collections.abc import AsyncIterator, Awaitable, Callable
from pathlib import Path
from typing import Any

import pytest
import pytest_asyncio
from playwright.async_api import Browser, BrowserContext, async_playwright, expect
from playwright.async_api import Page as Tab

from sandbox import agent_command, run
from sandbox.discord import TimeLimits
from sandbox.discord import serve as serve_discord
from sandbox.page import server
from tests.fixtures.discord_openapi import judge
from tests.fixtures.discord_server import DiscordServer, new_server
from tests.sandbox.discord.hikari_bot import Bot, running

CHROMIUM = shutil.which("chromium")
FLAGS = [
    "--no-sandbox",  # tests may run as root
    "--disable-gpu",
    "--disable-dev-shm-usage",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-quic",
    "--disable-sync",
    "--no-first-run",
]
SCREENS: dict[str, dict[str, Any]] = {
    "laptop": {"viewport": {"width": 1280, "height": 800}},
    "phone": {"viewport": {"width": 390, "height": 844}, "has_touch": True, "is_mobile": True},
}
WITHIN = 20_000
"""Milliseconds that a person would wait; a slow machine with two cores must not be told apart from a broken page."""

expect.set_options(timeout=WITHIN)
Opening = Callable[..., Awaitable[Tab]]


fixture = functools.partial(pytest_asyncio.fixture, loop_scope="session")
"""All tests here share a loop, because they share a browser: to start one takes longer than most tests."""


@fixture(scope="session")
async def chromium() -> AsyncIterator[Browser]:
    if CHROMIUM is None:
        pytest.skip("chromium is not installed")
    async with async_playwright() as playwright:
        browser = await playwright.chromium.launch(executable_path=CHROMIUM, args=FLAGS)
        try:
            yield browser
        finally:
            await browser.close()


@fixture
async def opening(chromium: Browser) -> AsyncIterator[Opening]:
    """Open a page in a tab of a browser that knows nothing yet; no script in it may break."""
    broken: list[str] = []
    contexts: list[BrowserContext] = []

    async def open_tab(address: str, screen: str = "laptop", **more: Any) -> Tab:
        context = await chromium.new_context(**SCREENS[screen], accept_downloads=True, **more)
        contexts.append(context)
        tab = await context.new_page()
        tab.set_default_timeout(WITHIN)
        tab.on("pageerror", lambda error: broken.append(str(error)))
        tab.on("console", lambda said: broken.append(said.text) if _is_complaint(said.type, said.text) else None)
        await tab.goto(address)
        return tab

    try:
        yield open_tab
    finally:
        for each in contexts:
            await each.close()
    assert broken == []


def _is_complaint(kind: str, text: str) -> bool:
    return kind == "error" and "WebSocket" not in text  # a line that breaks is tried in a test of its own


@fixture
async def scripted(tmp_path: Path) -> AsyncIterator[server.Page]:
    """The sandbox as a newcomer starts it."""
    agent = agent_command.scripted("It needs no account.").with_sessions_in(tmp_path / "claude")
    async with run.opened(tmp_path, run.sample(tmp_path), agent) as page:
        yield page


@fixture
async def discord_server() -> AsyncIterator[DiscordServer]:
    """A Discord with ada and eve in it, and no bot."""
    async with serve_discord(pace=TimeLimits(speed=math.inf), judge=judge) as discord:
        yield new_server(discord)


@fixture
async def page(discord_server: DiscordServer) -> AsyncIterator[server.Page]:
    """A page in front of the Discord server."""
    about = server.PageInfo("Nobody", "", (discord_server.ada.user, discord_server.eve.user), discord_server.channel)
    async with server.serve(discord_server.discord, about) as page:
        yield page


@fixture
async def bot(discord_server: DiscordServer) -> AsyncIterator[Bot]:
    """A small bot on the Discord server."""
    async with running(discord_server.discord) as bot:
        yield bot
    assert discord_server.discord.violations == []
