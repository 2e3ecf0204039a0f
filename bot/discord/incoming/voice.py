"""Transcribes voice messages with a program of the owner's choice."""

import asyncio
import tempfile
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path

import hikari

from bot.conversations.prompt_content import LARGEST_PROMPT
from bot.discord.incoming.attachment_download import fetch
from bot.errors import NotDone
from bot.projects.projects import Projects

NO_TRANSCRIBER = "I can't transcribe voice messages. Please write your message instead."
TRANSCRIBE_WITHIN = 180.0
"""Seconds for one message."""
_ERROR_LENGTH = 300  # characters of a transcriber's error output that are shown


def is_voice(message: hikari.Message) -> bool:
    return bool(message.flags & hikari.MessageFlag.IS_VOICE_MESSAGE)


@dataclass(frozen=True, slots=True)
class Transcriber:
    """Runs the program that the configuration names."""

    projects: Projects
    environment: Mapping[str, str] = field(default_factory=dict, repr=False)
    """The user's environment, without the bot's own variables."""

    async def transcribe(self, message: hikari.Message) -> str:
        """Return the text of a voice message; raises NotDone if that is not possible."""
        command = self.projects.settings.transcriber
        if not command:
            raise NotDone(NO_TRANSCRIBER)
        await message.app.rest.trigger_typing(message.channel_id)
        with tempfile.TemporaryDirectory(prefix="claude-discord-voice-") as folder:
            fetched = await fetch(message, Path(folder))
            if not fetched.files:
                raise NotDone(" ".join(fetched.complaints) or NO_TRANSCRIBER)
            transcript = await _run_transcriber((*command, fetched.files[0]), self.environment)
        if not transcript:
            raise NotDone("No words were recognized in this voice message. Please say it again, or write it.")
        return transcript


async def _run_transcriber(command: tuple[str, ...], environment: Mapping[str, str]) -> str:
    try:
        process = await asyncio.create_subprocess_exec(
            *command,
            stdin=asyncio.subprocess.DEVNULL,
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.PIPE,
            env=dict(environment),
        )
    except OSError as error:
        raise NotDone(
            f"The transcriber `{command[0]}` can't be started: {error.strerror}. Please write your message instead."
        ) from None
    try:
        async with asyncio.timeout(TRANSCRIBE_WITHIN):
            transcript, errors = await process.communicate()
    except TimeoutError:
        raise NotDone(
            f"The transcriber took longer than {TRANSCRIBE_WITHIN:.0f} s. Please write your message instead."
        ) from None
    finally:
        if process.returncode is None:
            with suppress(ProcessLookupError):
                process.kill()
            await process.wait()
    if process.returncode:
        why = errors.decode(errors="replace").strip()[-_ERROR_LENGTH:].replace("`", "'") or "It gave no reason."
        raise NotDone(
            f"The transcriber failed (exit {process.returncode}). Please write your message instead.\n```\n{why}\n```"
        )
    return transcript[:LARGEST_PROMPT].decode(errors="replace").strip()
