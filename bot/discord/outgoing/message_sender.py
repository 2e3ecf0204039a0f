"""Sends, edits and deletes the messages of one thread, and never sends one twice."""

import asyncio
import hashlib
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager, suppress
from typing import Any, Protocol

import hikari

from bot.discord.outgoing.components import is_card, payload
from bot.discord.outgoing.message_digest import digest, same_files
from bot.discord.outgoing.rate_limits import RateLimits
from bot.messages import Message
from bot.sent_message import Editing, InDoubt, MessageState, Missing, Sending, SentMessage, Standing

LARGE = 100_000
"""Messages with more bytes of files than this are prepared in a worker thread."""

THREAD_ARCHIVED = 50083
UNKNOWN_CHANNEL = 10003


class NotRendered(Exception):  # noqa: N818 - what happened, as in the rest of the tree
    """A message could not be rendered or converted for Discord; the cause says why."""


class SentMessages(Protocol):
    """Which messages are in Discord, and what they look like."""

    def sent_in(self, view: str) -> list[SentMessage]: ...
    def save_sent(self, sent: SentMessage) -> None: ...
    def replace_sent(self, sent: SentMessage, state: MessageState) -> bool: ...
    def forget_sent(self, view: str, key: str) -> None: ...


class MessageSender:
    """Records each request before making it, so that after a crash the bot knows which messages are in doubt."""

    def __init__(self, rest: hikari.api.RESTClient, channel: int, store: SentMessages, limits: RateLimits) -> None:
        self._rest = rest
        self._channel = channel
        self._store = store
        self._limits = limits
        self._deleted: dict[tuple[str, str], int] = {}
        """Messages that were deleted because their view no longer has them; it may have them again later."""

    async def update(self, view: str, message: Message, known: SentMessage | None) -> None:
        """Send a message, or edit it if its content has changed."""
        if known is None or known.unsent:
            await self._send(view, message, known)
        elif known.message is not None and not known.looks_like(digest(message)):
            try:
                await self._edit(message, known, known.message)
            except hikari.NotFoundError as error:
                if error.code == UNKNOWN_CHANNEL:
                    raise
                await self._handle_deletion(message, known)

    async def delete(self, sent: SentMessage) -> None:
        """Delete a message that its view no longer has."""
        message = sent.message
        match sent.state:
            case Sending():
                message = await self._find_sent(sent)
            case Missing(lost):
                self._deleted[sent.view, sent.key] = lost
        if message is not None:
            with suppress(hikari.NotFoundError):
                await self._rest.delete_message(self._channel, message)
            self._deleted[sent.view, sent.key] = message
        self._store.forget_sent(sent.view, sent.key)

    async def _send(self, view: str, message: Message, known: SentMessage | None) -> None:
        arguments = await _converted(message)
        match known and known.state:
            case Sending() as state:
                retrying = True
            case Missing(lost):
                state, retrying = Sending(replaces=lost), False
            case _:
                state, retrying = Sending(self._deleted.get((view, message.key), 0)), False
        sending = SentMessage(view, message.key, self._channel, state)
        self._store.save_sent(sending)
        with self._in_doubt(sending):
            async with self._limits.request("post", self._channel):
                sent = await self._retry_if_archived(
                    lambda: self._rest.create_message(self._channel, nonce=nonce(sending), **arguments)
                )
            if retrying:  # Discord may have returned the earlier attempt's message, with older content
                await self._rest.edit_message(sent.channel_id, sent.id, **arguments)
        self._store.save_sent(sending.becomes(Standing(int(sent.id), digest(message))))

    async def _find_sent(self, lost: SentMessage) -> int:
        """Find the message that the bot was sending when it crashed: Discord returns the message of a nonce."""
        found = await self._retry_if_archived(lambda: self._rest.create_message(self._channel, "…", nonce=nonce(lost)))
        return int(found.id)

    async def _edit(self, message: Message, known: SentMessage, id_: int) -> None:
        new_digest = digest(message)
        same = isinstance(known.state, Standing) and same_files(known.state.digest, new_digest)
        arguments = await _converted(message, resend_files=not same)
        if is_card(message):  # someone may click it now, and the response may arrive before or after the edit
            known = known.becomes(Editing(id_))
            self._store.save_sent(known)
        with self._in_doubt(known):
            async with self._limits.request("edit", self._channel):
                await self._retry_if_archived(lambda: self._rest.edit_message(self._channel, id_, **arguments))
        self._store.replace_sent(known, Standing(id_, new_digest))

    @contextmanager
    def _in_doubt(self, sent: SentMessage) -> Iterator[None]:
        """Mark a message as in doubt if a request fails: Discord may have handled it anyway."""
        try:
            yield
        except BaseException:
            now = next((each for each in self._store.sent_in(sent.view) if each.key == sent.key), None)
            if now is not None and now.message is not None:
                self._store.save_sent(now.becomes(InDoubt(now.message)))
            raise

    async def _handle_deletion(self, message: Message, known: SentMessage) -> None:
        """Send a card again that a moderator deleted; a text stays deleted."""
        deleted = known.was_deleted(comes_back=is_card(message))
        self._store.save_sent(deleted)
        if deleted.unsent:
            await self._send(known.view, message, deleted)

    async def _retry_if_archived(self, send: Callable[[], Awaitable[hikari.Message]]) -> hikari.Message:
        """Call `send`; if the thread has been archived, unarchive it and try again."""
        try:
            return await send()
        except hikari.BadRequestError as error:
            if error.code != THREAD_ARCHIVED:
                raise
        await self._rest.edit_channel(self._channel, archived=False)
        return await send()


async def _converted(message: Message, *, resend_files: bool = True) -> dict[str, Any]:
    """Convert a message for Discord, in a worker thread if its files are large: masking their secrets takes time."""
    try:
        if sum(len(file.content) for file in message.files) < LARGE:
            return payload(message, resend_files=resend_files)
        return await asyncio.to_thread(payload, message, resend_files=resend_files)
    except Exception as error:
        raise NotRendered from error


def nonce(sent: SentMessage) -> str:
    """Return a nonce that prevents a second post when hikari retries after a 5xx, or the bot after a crash.

    A message that replaces a deleted one gets a different nonce: Discord would return the deleted message.
    """
    before = -sent.state.replaces if isinstance(sent.state, Sending) else 0
    return hashlib.sha256(f"{sent.view}/{sent.key}/{before}".encode()).hexdigest()[:25]
