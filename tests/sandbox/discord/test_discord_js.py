"""Tests that discord.js, which shares no code with hikari, works in the sandbox too."""

import asyncio
import fcntl
import os
import shutil
import subprocess
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from sandbox.discord import Upload
from sandbox.discord.people.wait_until import until
from tests.fixtures.discord_server import DiscordServer

VERSION = "14.28.0"
SCRIPT = Path(__file__).with_name("discord_js_bot.cjs")


@pytest.fixture(scope="session")
def library() -> Path:
    """Install discord.js in a cache folder outside the repository, once."""
    node, npm = shutil.which("node"), shutil.which("npm")
    if node is None or npm is None:
        pytest.skip("npm is not installed, so discord.js can't be fetched")
    cache = Path(os.environ.get("CLAUDE_DISCORD_CACHE", "~/.cache/claude-discord")).expanduser()
    folder = cache / "discord.js"
    found = folder / "node_modules" / "discord.js"
    folder.mkdir(parents=True, exist_ok=True)
    with (folder / ".lock").open("w") as lock:  # several pytest workers may get here together
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not found.exists():
            command = [npm, "install", "--no-audit", "--no-fund", "--prefix", str(folder), f"discord.js@{VERSION}"]
            done = subprocess.run(command, capture_output=True, text=True, timeout=300, check=False)
            if done.returncode:
                pytest.skip(f"npm could not bring discord.js: {done.stderr.strip()[-300:]}")
    return found


@pytest.fixture
async def ready(discord_server: DiscordServer, library: Path) -> AsyncIterator[None]:
    process = await asyncio.create_subprocess_exec(
        "node",
        str(SCRIPT),
        str(library),
        f"{discord_server.discord.url}/api",
        discord_server.discord.token,
        str(discord_server.guild.id),
    )
    try:
        await discord_server.ada.sees(discord_server.channel, "ready in Workshop", within=20)
        yield
        assert process.returncode is None
        assert discord_server.discord.violations == []
    finally:
        if process.returncode is None:
            process.kill()
        async with asyncio.timeout(5):
            await process.wait()


@pytest.mark.usefixtures("ready")
async def test_messages_buttons_menus_and_forms(discord_server: DiscordServer) -> None:
    ada, channel = discord_server.ada, discord_server.channel
    written = await ada.write(channel, "hello ", files=[Upload("a.txt", b"abc")])
    reply = await ada.sees(channel, "you said helloa.txt")
    assert reply.reply_to is written
    assert (await ada.select(reply, "Which?", ["Two"])).text == "chose 2"
    opened = await ada.click(reply, "Deny…")
    await ada.submit(opened.modal, {"Why?": "too risky"})
    assert reply.text == "denied: too risky"
    await ada.write(channel, "again")
    second = await ada.sees(channel, "you said again")
    await ada.click(second, "Allow")
    assert second.text == "allowed by ada"


@pytest.mark.usefixtures("ready")
async def test_threads_cards_and_commands(discord_server: DiscordServer) -> None:
    ada, channel = discord_server.ada, discord_server.channel
    await ada.write(channel, "thread")
    thread = await ada.sees_thread(channel, "A thread")
    await ada.sees(thread, "in the thread")
    await ada.sees(thread, "Renamed")
    await ada.write(channel, "card")
    await ada.sees(channel, "a card")
    answer = await ada.command(channel, "status")
    assert answer.ephemeral
    assert (await answer.finished()).text == "all is well"
    assert (await answer.followed_up()).text == "and more"
    await until(discord_server.discord.world, lambda: not ada.threads(channel) or None, 5, lambda: "not archived")
