"""Tests voice messages: a prompt if a transcriber is configured, otherwise refused with a sentence."""

import psutil
import pytest

from sandbox.discord import DiscordChannel, Upload
from sandbox.discord.state import messages
from sandbox.discord.state.entities import MessageFlag
from sandbox.discord.state.messages import MessageDraft
from tests.fixtures.bot_setup import BotSetup, buttons


def speak(setup: BotSetup, place: DiscordChannel, words: str) -> None:
    """Send a voice message; the transcribers of these tests print its bytes."""
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
        (
            ["sh", "-c", "echo no model >&2; exit 3"],
            "The transcriber failed (exit 3). Please write your message instead.\n```\nno model",
        ),
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
    monkeypatch.setattr("bot.discord.incoming.voice.TRANSCRIBE_WITHIN", 0.3)
    setup.settings["transcriber"] = ["sh", "-c", f"echo $$ > {setup.root}/pid; exec sleep 60"]
    async with setup.bot():
        speak(setup, setup.channel, "Hello")
        await setup.ada.sees(setup.channel, "took longer than", within=20)
        assert not psutil.pid_exists(int((setup.root / "pid").read_text()))
