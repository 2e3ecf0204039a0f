"""Tests that a conversation that fails fails alone, and that the people in its thread are told."""

import asyncio
import shutil
import sqlite3
from contextlib import closing
from datetime import timedelta
from pathlib import Path

import pytest

from bot.conversations.conversations import COULD_NOT_OPEN, FAILED
from bot.discord.incoming import inbox
from bot.records import Prompt
from bot.store import FILE_NAME, Store
from sandbox.discord import DiscordChannel, Upload
from sandbox.scripts.script import Say, Use, script
from tests.fixtures.bot_setup import BotSetup, shown
from tests.fixtures.discord_server import DiscordServer
from tests.fixtures.scripted_setup import gone, processes, scripted

ON_DISK_ERROR = sqlite3.OperationalError("disk I/O error")


@pytest.fixture
def setup(discord_server: DiscordServer, tmp_path: Path) -> BotSetup:
    scripts = {
        "hello": script([Say("Hello, I am here.")]),
        "touch": script([Use("Bash", {"command": "touch made.txt"})], [Say("Then I went on.")]),
    }
    return scripted(discord_server, tmp_path, scripts)


async def answered(setup: BotSetup) -> DiscordChannel:
    thread = await setup.say("hello")
    await setup.done(thread)
    return thread


def damage(setup: BotSetup, statement: str) -> None:
    with closing(sqlite3.connect(setup.state / FILE_NAME)) as file:
        file.execute(statement)
        file.commit()


@pytest.mark.parametrize(
    ("damaged", "told", "told_writer"),
    [
        ("UPDATE conversation SET own = '{{' WHERE id = {thread}", FAILED, inbox.FAILED),
        ("UPDATE ticket SET draft = '{{', opened_at = 1, state = 'open'", FAILED, COULD_NOT_OPEN),
    ],
    ids=["a thread's own settings", "an open ticket that needs a reminder"],
)
async def test_a_row_that_can_not_be_read_stops_only_its_conversation(
    setup: BotSetup, damaged: str, told: str, told_writer: str
) -> None:
    async with setup.bot():
        other = await answered(setup)
        thread = await setup.say("touch")
        await setup.card(thread, "touch made.txt")
    damage(setup, damaged.format(thread=thread.id))
    damage(setup, f"UPDATE turn SET shown = 0 WHERE conversation = {thread.id}")  # noqa: S608 - a number
    async with setup.bot():
        await setup.ada.sees(thread, told)
        await setup.ada.write(thread, "hello")
        await setup.ada.sees(thread, told_writer)
        await setup.ada.write(other, "hello")
        await setup.done(other, 2)


@pytest.mark.parametrize("fails", ["add_run", "add_turn", "set_prompt", "set_process", "end_turn"])
async def test_a_store_that_fails_once_ends_one_process_and_the_thread_says_so(
    setup: BotSetup, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture, fails: str
) -> None:
    works, failures = getattr(Store, fails), [ON_DISK_ERROR]

    def fails_once(store: Store, *arguments: object, **named: object) -> object:
        for failure in [failures.pop()] if failures else []:
            raise failure
        return works(store, *arguments, **named)

    async with setup.bot():
        other = await answered(setup)
        monkeypatch.setattr(Store, fails, fails_once)
        thread = await setup.say("hello")
        await setup.ada.sees(thread, FAILED)
        await setup.ada.write(other, "hello")
        await setup.done(other, 2)
        await setup.ada.write(thread, "hello")
        await setup.ada.sees(thread, "Hello, I am here.")
        await setup.done(thread)
    assert "disk I/O error" in caplog.text
    assert await gone(processes(setup)) == []


@pytest.mark.parametrize("when", ["live", "missed"])
async def test_a_message_that_can_not_be_handled_stops_no_other(
    setup: BotSetup, monkeypatch: pytest.MonkeyPatch, when: str
) -> None:
    add = Store.add_prompt

    def fails_for_one(store: Store, prompt: Prompt) -> bool:
        if "broken" in prompt.text:
            raise ON_DISK_ERROR
        return add(store, prompt)

    async def write_in(*threads: DiscordChannel) -> None:
        await setup.ada.write(threads[0], "hello, broken")
        for thread in threads:
            await setup.ada.write(thread, "hello")

    async with setup.bot():
        first, second = await answered(setup), await answered(setup)
        monkeypatch.setattr(Store, "add_prompt", fails_for_one)
        if when == "live":
            await write_in(first, second)
            await setup.done(first, 2)
            await setup.done(second, 2)
    if when == "missed":
        await write_in(first, second)
    async with setup.bot():
        await setup.done(first, 2)
        await setup.done(second, 2)
        assert sum(inbox.FAILED in shown(message) for message in setup.ada.messages(first)) == 1


async def test_old_messages_do_not_hide_newer_ones(setup: BotSetup, monkeypatch: pytest.MonkeyPatch) -> None:
    async with setup.bot():
        thread = await answered(setup)
    for number in range(4):
        await setup.discord_server.eve.write(thread, f"I talk to ada, number {number}")
    monkeypatch.setattr(inbox, "MOST_FETCHED", 3)
    monkeypatch.setattr(inbox, "TOO_OLD", timedelta(seconds=1))
    await asyncio.sleep(1.2)
    await setup.ada.write(thread, "hello")
    async with setup.bot():
        await setup.done(thread, 2)


async def test_a_file_that_can_not_be_saved_is_said_and_the_prompt_runs(setup: BotSetup) -> None:
    async with setup.bot():
        thread = await answered(setup)
        shutil.rmtree(setup.state / "attachments")
        (setup.state / "attachments").touch()  # no folder can be made in it
        await setup.ada.write(thread, "hello", files=[Upload("a.txt", b"text", "text/plain")])
        await setup.ada.sees(thread, "`a.txt` could not be saved")
        await setup.done(thread, 2)
