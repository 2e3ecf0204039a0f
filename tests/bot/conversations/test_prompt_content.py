"""Tests files that come with a message and files that Claude sends, with the real `claude`."""

import os
import struct
import zlib
from pathlib import Path

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from bot.conversations.prompt_content import content, place
from bot.records import Prompt
from sandbox.discord import DiscordChannel, DiscordMessage, Upload
from sandbox.messages_api.server import MessagesApi
from sandbox.scripts.script import Say, Use, script
from tests.fixtures.bot_setup import BotSetup


def png() -> bytes:
    """The smallest picture: one white pixel."""

    def chunk(kind: bytes, data: bytes) -> bytes:
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))

    head = chunk(b"IHDR", struct.pack(">IIBBBBB", 1, 1, 8, 2, 0, 0, 0))
    return b"\x89PNG\r\n\x1a\n" + head + chunk(b"IDAT", zlib.compress(b"\0\xff\xff\xff")) + chunk(b"IEND", b"")


async def opened(setup: BotSetup, message: DiscordMessage) -> DiscordChannel:
    await setup.ada.sees(setup.channel, lambda seen: seen is message and seen.thread is not None, within=20)
    assert message.thread is not None
    return message.thread


async def test_a_picture_reaches_claude_as_a_picture_and_a_file_by_its_name(
    real_setup: BotSetup, api: MessagesApi
) -> None:
    setup = real_setup
    uploads = [Upload("a cat.png", png(), "image/png"), Upload("notes $(rm -rf).csv", b"a,b\n1,2\n", "text/csv")]

    def read(_: object) -> list[Use]:
        return [Use("Read", {"file_path": str(next(setup.state.rglob("*.csv")))})]

    api.on("look at these", script(read, [Say("I see.")]))
    async with setup.bot():
        thread = await opened(setup, await setup.ada.write(setup.channel, "Please look at these", files=uploads))
        await setup.ada.sees(thread, "I see.", within=30)
        heard = await api.reached("look at these")
    assert heard.seen.images == 1
    kept = next(setup.state.rglob("*.csv"))
    assert str(kept) in heard.seen.prompt
    assert kept.name == "2-notes _(rm -rf).csv"
    assert kept.stat().st_mode & 0o777 == 0o600
    assert not kept.is_relative_to(setup.project)
    assert "1,2" in (await api.reached("look at these", 1)).tool_results, "Claude reads it without asking anyone"


async def test_a_text_that_discord_made_a_file_of_is_the_prompt(setup: BotSetup) -> None:
    long = "word " * 1000 + "the end"
    async with setup.bot():
        message = await setup.ada.write(setup.channel, files=[Upload("message.txt", long.encode(), "text/plain")])
        thread = await opened(setup, message)
        await setup.done(thread)
        assert "the end" in setup.text(thread)
        assert not list(setup.state.rglob("*.txt"))


async def test_what_is_too_large_is_left_out_with_a_sentence(setup: BotSetup, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("bot.discord.incoming.attachment_download.LARGEST_FILE", 1024 * 1024)
    async with setup.bot():
        files = [Upload("big.bin", b"x" * (1024 * 1024 + 1))]
        thread = await opened(setup, await setup.ada.write(setup.channel, "Take this", files=files))
        await setup.ada.sees(thread, "`big.bin` was left out: it is larger than 1 MB.")
        await setup.ada.sees(thread, "You said: Take this", within=20)


def test_a_picture_that_is_gone_is_said_to_be_gone() -> None:
    def gone(_: str) -> dict[str, str]:
        raise FileNotFoundError

    [block] = content(Prompt(1, 2, 3, "Look", 0.0, files=("/state/images/1-cat.png",)), gone)
    assert block["text"] == "Look\n\n(An attached picture, 1-cat.png, no longer exists.)"


FOLDER = Path("/state/attachments/3/5")


@given(st.text(max_size=400))
@example("../../x")
@example("..")
@example(".")
@example("")
@example("/etc/passwd")
@example("a\0b")
@example("n" * 300)
@example("漢" * 300 + ".png")
@example("C:\\Windows\\x.exe")
@example("-rf")
@example("a\nb")
@example(".ssh")
def test_an_attachment_lands_in_its_folder_whatever_it_is_called(name: str) -> None:
    path = place(FOLDER, name, b"content", 1)
    assert Path(os.path.normpath(path)) == path
    assert path.parent.parent == FOLDER
    assert "\0" not in path.name
    assert "\n" not in path.name
    assert len(os.fsencode(path.name)) <= 255
    assert not path.name.startswith((".", "-"))
