"""Downloads the files that people attach to a message, within limits, to a folder outside the repository."""

import asyncio
import os
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import hikari

from bot.conversations.prompt_content import FETCH_TIMEOUT, LARGEST_FILE, LARGEST_PROMPT, LONG_PROMPT, MOST_FILES, place
from bot.private_files import make_folder


@dataclass(frozen=True, slots=True)
class MessageContent:
    """The text and the files of a message."""

    text: str
    """The message's text, including one that Discord attached as a file because it was too long."""
    files: tuple[str, ...] = ()
    complaints: tuple[str, ...] = ()
    """A sentence about each file that could not be used."""


def attachments(state: Path, conversation: int, message: int) -> Path:
    """Return the folder for the files of a message."""
    return state / "attachments" / str(conversation) / str(message)


async def fetch(message: hikari.Message, folder: Path) -> MessageContent:
    """Download a message's files into a folder of its own."""
    text = (message.content or "").strip()
    complaints = [f"Only the first {MOST_FILES} files were used."] if len(message.attachments) > MOST_FILES else []
    files: list[str] = []
    try:
        async with asyncio.timeout(FETCH_TIMEOUT):
            for number, attachment in enumerate(message.attachments[:MOST_FILES], 1):
                data = await _read(attachment)
                if isinstance(data, str):
                    complaints.append(data)
                elif (long_prompt := _long_prompt(attachment, data)) is not None:
                    text = f"{text}\n\n{long_prompt}".strip()
                else:
                    path = place(folder, attachment.filename, data, number)
                    try:
                        await asyncio.to_thread(_save, path, data)
                    except OSError as error:
                        complaints.append(f"`{_quoted(attachment)}` could not be saved: {error.strerror or error}")
                    else:
                        files.append(str(path))
    except TimeoutError:
        complaints.append(f"Not all files could be downloaded within {FETCH_TIMEOUT:.0f} s.")
    return MessageContent(text, tuple(files), tuple(complaints))


def summary(complaints: Sequence[str]) -> str:
    return "\n".join(f"⚠️ {complaint}" for complaint in complaints)


async def _read(attachment: hikari.Attachment) -> bytes | str:
    """Return the content of a file, or a sentence about why it can't be downloaded."""
    name = _quoted(attachment)
    too_large = f"`{name}` was left out: it is larger than {LARGEST_FILE // 2**20} MB."
    if attachment.size > LARGEST_FILE:
        return too_large
    data = bytearray()
    try:
        async with attachment.stream() as stream:
            async for piece in stream:
                data += piece
                if len(data) > LARGEST_FILE:  # the size that Discord reports is not trusted
                    return too_large
    except (hikari.HikariError, OSError) as error:
        return f"`{name}` could not be downloaded from Discord: {error}"
    return bytes(data)


def _quoted(attachment: hikari.Attachment) -> str:
    return attachment.filename.replace("`", "'")


def _long_prompt(attachment: hikari.Attachment, data: bytes) -> str | None:
    if attachment.filename != LONG_PROMPT or len(data) > LARGEST_PROMPT:
        return None
    try:
        return data.decode("utf-8").strip()
    except UnicodeDecodeError:
        return None


def _save(path: Path, data: bytes) -> None:
    make_folder(path.parent)
    descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_NOFOLLOW, 0o600)
    with os.fdopen(descriptor, "wb") as file:
        file.write(data)
