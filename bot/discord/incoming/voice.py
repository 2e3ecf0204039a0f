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
LONGEST = 180.0
"""Seconds for one message."""
_COMPLAINT = 300  # characters of what a transcriber says about its failure


def is_voice(message: hikari.Message) -> bool:
    return bool(message.flags & hikari.MessageFlag.IS_VOICE_MESSAGE)


@dataclass(frozen=True, slots=True)
class Transcriber:
    """Runs the program that the configuration names; incoming messages are given to it."""

    projects: Projects
    environment: Mapping[str, str] = field(default_factory=dict, repr=False)
    """The user's environment, without the bot's own variables."""

    async def transcribe(self, message: hikari.Message) -> str:
        """Give the text of a voice message; raises NotDone if that is not possible."""
        command = self.projects.settings.transcriber
        if not command:
            raise NotDone(NO_TRANSCRIBER)
        await message.app.rest.trigger_typing(message.channel_id)
        with tempfile.TemporaryDirectory(prefix="claude-discord-voice-") as folder:
            fetched = await fetch(message, Path(folder))
            if not fetched.files:
                raise NotDone(" ".join(fetched.complaints) or NO_TRANSCRIBER)
            said = await _heard((*command, fetched.files[0]), self.environment)
        if not said:
            raise NotDone("No words were recognized in this voice message. Please say it again, or write it.")
        return said


async def _heard(command: tuple[str, ...], environment: Mapping[str, str]) -> str:
    try:
        process = await asyncio.create_subprocess_exec(
            *command,
            stdin=asyncio.subprocess.DEVNULL,
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.PIPE,
            env=dict(environment),
        )
    except OSError as error:
        raise NotDone(f"The transcriber `{command[0]}` can't be started: {error.strerror}.") from None
    try:
        async with asyncio.timeout(LONGEST):
            said, complaint = await process.communicate()
    except TimeoutError:
        raise NotDone(f"The transcriber took longer than {LONGEST:.0f} s. Please write it.") from None
    finally:
        if process.returncode is None:
            with suppress(ProcessLookupError):
                process.kill()
            await process.wait()
    if process.returncode:
        why = complaint.decode(errors="replace").strip()[-_COMPLAINT:].replace("`", "'")
        raise NotDone(
            f"The transcriber failed (exit {process.returncode}). Please write it.\n```\n{why or 'no reason'}\n```"
        )
    return said[:LARGEST_PROMPT].decode(errors="replace").strip()
