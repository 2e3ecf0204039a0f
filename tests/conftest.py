"""Shared fixtures: the real CLI, a Discord that checks what the bot sends, and no silent skips in CI."""

import asyncio
import atexit
import math
import os
import shutil
import tempfile
from collections.abc import AsyncIterator
from typing import Any

import hikari.impl.shard
import pytest

from sandbox.discord import TimeLimits, serve
from tests.fixtures.browser import chromium, opening
from tests.fixtures.discord_openapi import judge
from tests.fixtures.discord_server import DiscordServer, new_server
from tests.fixtures.real_claude import old_claude, real_claude
from tests.fixtures.real_setup import api, real_setup

__all__ = ["api", "chromium", "old_claude", "opening", "real_claude", "real_setup"]

NO_SKIPS = "CLAUDE_DISCORD_NO_SKIPS"
"""Set by CI, which installs everything that tests need: a skipped test fails there."""

LONG = ("tests/chaos/", "tests/fuzz/", "tests/test_benchmarks.py")

_HOME = tempfile.mkdtemp(prefix="claude-discord-tests-")
"""Keeps the bot out of the developer's own folders; set before any of the bot's modules is imported."""
os.environ |= {"XDG_CONFIG_HOME": f"{_HOME}/config", "XDG_STATE_HOME": f"{_HOME}/state"}
atexit.register(shutil.rmtree, _HOME, ignore_errors=True)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item: pytest.Item, call: pytest.CallInfo[None]) -> pytest.TestReport:
    report: pytest.TestReport = yield
    if report.skipped and os.environ.get(NO_SKIPS):
        report.outcome = "failed"
        report.longrepr = f"{item.nodeid} was skipped, and {NO_SKIPS} is set: {report.longrepr}"
    return report


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Run the slow tests first, so that no worker is left alone with one at the end."""
    items.sort(key=lambda item: not item.nodeid.startswith(LONG))


class _AsyncioOfShards:
    """Asyncio as hikari's shards find it, without their sleep after each closed connection.

    It sleeps for the sake of TLS and of an aiohttp older than the one that the bot needs (aiohttp#1925).
    """

    def __getattr__(self, name: str) -> Any:
        return getattr(asyncio, name)

    async def sleep(self, delay: float) -> None:
        await asyncio.sleep(0 if delay == 0.25 else delay)


hikari.impl.shard.asyncio = _AsyncioOfShards()


@pytest.fixture
def time_limits() -> TimeLimits:
    """No rate limits, but Discord's time limit for a bot's response."""
    return TimeLimits(speed=math.inf)


@pytest.fixture
async def discord_server(time_limits: TimeLimits, monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[DiscordServer]:
    """A Discord server; the test fails if the bot sends it something wrong."""
    monkeypatch.setattr("bot.discord.outgoing.rate_limits.EDIT_INTERVAL", 0.1)  # no rate limits here
    async with serve(pace=time_limits, judge=judge) as discord:
        yield new_server(discord)
        assert discord.violations == []
