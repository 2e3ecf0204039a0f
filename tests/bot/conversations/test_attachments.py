"""Files that come along with a message, and files that Claude sends; with the real `claude`."""

import struct
import zlib
from pathlib import Path

import psutil
import pytest

from bot.claude.outgoing_files import sendable
from bot.conversations.attachments import content
from bot.records import Prompt
from sandbox.discord import DiscordChannel, DiscordMessage, Upload
from sandbox.discord.state import messages
from sandbox.discord.state.entities import MessageFlag
from sandbox.discord.state.messages import MessageDraft
from sandbox.messages_api import MessagesApi
from sandbox.script import Say, Use, script
from tests.fixtures.bot_setup import BotSetup, buttons

SEND = "mcp__discord__send_file"


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
    monkeypatch.setattr("bot.discord.incoming.attachments.LARGEST_FILE", 1024 * 1024)
    async with setup.bot():
        files = [Upload("big.bin", b"x" * (1024 * 1024 + 1))]
        thread = await opened(setup, await setup.ada.write(setup.channel, "Take this", files=files))
        await setup.ada.sees(thread, "`big.bin` was left out: it is larger than 1 MB.")
        await setup.ada.sees(thread, "You said: Take this", within=20)


def speak(setup: BotSetup, place: DiscordChannel, words: str) -> None:
    """Send a voice message; the transcribers of these tests hear its bytes."""
    draft = MessageDraft(
        "", uploads=(Upload("voice-message.ogg", words.encode(), "audio/ogg"),), flags=MessageFlag(1 << 13)
    )
    messages.write(setup.discord.world, place, setup.ada.user, draft)


async def test_a_voice_message_is_refused_with_a_sentence(setup: BotSetup) -> None:
    async with setup.bot():
        speak(setup, setup.channel, "OggS")
        await setup.ada.sees(setup.channel, "I can't transcribe voice messages.")
        assert setup.ada.threads(setup.channel) == []


async def test_a_voice_message_is_a_prompt_where_a_transcriber_is_configured(setup: BotSetup) -> None:
    setup.settings["transcriber"] = ["cat"]
    async with setup.bot():
        speak(setup, setup.channel, "ask")
        thread = await setup.ada.sees_thread(setup.channel, "ask")
        await setup.ada.sees(thread, "🎙️ ask")
        card = await setup.card(thread, "touch made.txt")
        speak(setup, thread, "yes")
        await setup.ada.sees(thread, "🎙️ yes", within=20)
        await setup.ada.sees(thread, "Queued")
        assert "Allow" in buttons(card), "what was heard decides nothing"
    assert not list(setup.state.rglob("*.ogg")), "nothing of the recording is kept"


@pytest.mark.parametrize(
    ("transcriber", "sentence"),
    [
        (["sh", "-c", "echo no model >&2; exit 3"], "The transcriber failed (exit 3). Please write it.\n```\nno model"),
        (["true"], "No words were recognized"),
        (["no-such-program"], "The transcriber `no-such-program` can't be started"),
    ],
)
async def test_a_transcriber_that_fails_is_said_to_have_failed(
    setup: BotSetup, transcriber: list[str], sentence: str
) -> None:
    setup.settings["transcriber"] = transcriber
    async with setup.bot():
        speak(setup, setup.channel, "Hello")
        await setup.ada.sees(setup.channel, sentence, within=20)
        assert setup.ada.threads(setup.channel) == []


async def test_a_transcriber_that_hangs_is_ended(setup: BotSetup, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("bot.discord.incoming.voice.LONGEST", 0.3)
    setup.settings["transcriber"] = ["sh", "-c", f"echo $$ > {setup.root}/pid; exec sleep 60"]
    async with setup.bot():
        speak(setup, setup.channel, "Hello")
        await setup.ada.sees(setup.channel, "took longer than", within=20)
        assert not psutil.pid_exists(int((setup.root / "pid").read_text()))


def test_a_picture_that_is_gone_is_said_to_be_gone() -> None:
    def gone(_: str) -> dict[str, str]:
        raise FileNotFoundError

    [block] = content(Prompt(1, 2, 3, "Look", 0.0, files=("/state/images/1-cat.png",)), gone)
    assert block["text"] == "Look\n\n(A picture that came along, 1-cat.png, is gone.)"


def send(api: MessagesApi, path: object, caption: str = "") -> None:
    api.on("send it", script([Say("Here it comes."), Use(SEND, {"path": str(path), "caption": caption})], [Say("So.")]))


async def test_claude_sends_a_file_without_asking_and_goes_on_below_it(real_setup: BotSetup, api: MessagesApi) -> None:
    setup = real_setup
    (setup.project / "report.md").write_text("# All is well\n")
    send(api, "report.md", "The report that you wanted")
    async with setup.bot():
        thread = await setup.say("Please send it")
        file = await setup.ada.sees(thread, "The report that you wanted", within=20)
        assert [(each.name, each.content) for each in file.attachments] == [("report.md", b"# All is well\n")]
        assert "report.md was sent." in (await api.reached("send it", 1)).tool_results
        await setup.done(thread)
        after = await setup.ada.sees(thread, "So.")
        before = await setup.ada.sees(thread, "Here it comes.")
        assert before.id < file.id < after.id


@pytest.mark.parametrize(
    ("path", "reason"),
    [
        ("/etc/hostname", "outside of the project"),
        ("../outside.txt", "outside of the project"),
        ("link.txt", "outside of the project"),
        (".env", "looks like a secret"),
        ("key.txt", "holds a private key"),
        (".git/config", "version control"),
        ("missing.txt", "can't be read"),
        ("folder", "is not a file"),
    ],
)
def test_what_may_not_be_sent(tmp_path: Path, path: str, reason: str) -> None:
    project = tmp_path / "project"
    (project / ".git").mkdir(parents=True)
    (project / "folder").mkdir()
    (project / ".git" / "config").write_text("[core]")
    (tmp_path / "outside.txt").write_text("not yours")
    (project / "link.txt").symlink_to(tmp_path / "outside.txt")
    (project / ".env").write_text("TOKEN=1")
    (project / "key.txt").write_text("-----BEGIN OPENSSH PRIVATE KEY-----\nabc\n")
    refused = sendable(path, project, {})
    assert isinstance(refused, str)
    assert reason in refused
