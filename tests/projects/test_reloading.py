"""The file is changed while the bot runs: it counts at once, or is refused and the old one stays in force."""

import asyncio
import json
import logging
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import replace
from pathlib import Path

import pytest

from bot import config
from bot.app import serving
from bot.conversations.conversations import Conversations
from bot.projects import reloading
from sandbox.script import Say, script
from tests.rooms.house import scripted, write_config
from tests.roundtrip.house import House
from tests.sandbox_discord.workshop import Workshop

SCRIPTS = {"hello": script([Say("Hello, you.")])}


@asynccontextmanager
async def bot(house: House, file: Path) -> AsyncIterator[Conversations]:
    start = replace(house.start(), settings=config.load(file), file=file)
    async with serving(start) as conversations:
        yield conversations


async def becomes(seen: Callable[[], bool]) -> None:
    """Wait for something that nothing tells of: the bot looks at the file from time to time, and so do we."""
    async with asyncio.timeout(20):
        while not seen():  # noqa: ASYNC110
            await asyncio.sleep(0.02)


async def test_a_changed_file_counts_without_a_restart(
    workshop: Workshop, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(reloading, "PACE", 0.05)
    house = scripted(workshop, tmp_path, SCRIPTS)
    second = workshop.discord.world.add_channel(workshop.guild, "second")
    other = tmp_path / "other"
    other.mkdir()
    file = write_config(tmp_path / "claude-discord.toml", house)
    text = file.read_text()
    async with bot(house, file) as conversations:
        thread = await house.say("hello")
        await house.done(thread)
        more = f"[projects.other]\nfolder = {json.dumps(str(other))}\nchannels = [{second.id}]\n"
        file.write_text(text + more)
        await becomes(lambda: "other" in conversations.settings.projects)
        message = await house.ada.write(second, "hello")
        await house.ada.sees(second, lambda seen: seen is message and seen.thread is not None)
        assert message.thread is not None
        await house.ada.sees(message.thread, "Hello, you.")

        file.write_text(text.replace("[projects.demo]", "[projects.demo]\npermission_mode = 'plan'"))
        await becomes(lambda: conversations.settings.projects.keys() == {"demo"})
        await becomes(lambda: all(each.record.project == "demo" for each in conversations.awake()))
        conversation = await conversations.find(thread.id)
        assert conversation is not None
        assert conversation.room.project.permission_mode == "plan"


async def test_a_file_with_mistakes_is_refused_and_the_old_one_stays(
    workshop: Workshop, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr(reloading, "PACE", 0.05)
    house = scripted(workshop, tmp_path, SCRIPTS)
    file = write_config(tmp_path / "claude-discord.toml", house)
    right = file.read_text()
    async with bot(house, file) as conversations:
        with caplog.at_level(logging.WARNING, "bot.projects.reloading"):
            file.write_text(right.replace("channels", "chanels"))
            await becomes(lambda: bool(conversations.projects.refused))
        assert "did you mean channels?" in caplog.text
        (told,) = conversations.projects.refused.splitlines()[1:]
        assert told.startswith("  line 9: projects.demo.chanels: ")
        thread = await house.say("hello")
        await house.ada.sees(thread, "Hello, you.")
        file.write_text(right)
        await becomes(lambda: not conversations.projects.refused)
