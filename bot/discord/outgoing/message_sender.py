"""Sends, edits and deletes the messages of one thread, without ever sending one twice."""

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
"""Bytes of files above which a message is prepared in a worker thread."""

THREAD_ARCHIVED = 50083
UNKNOWN_CHANNEL = 10003


class NotDrawn(Exception):  # noqa: N818 - what happened, as in the tree of errors
    """A message can't be drawn, or can't be written for Discord; the cause says why."""


class SentMessages(Protocol):
    """Which messages are in Discord, and what they look like."""

    def sent_in(self, view: str) -> list[SentMessage]: ...
    def save_sent(self, sent: SentMessage) -> None: ...
    def replace_sent(self, sent: SentMessage, state: MessageState) -> None: ...
    def forget_sent(self, view: str, key: str) -> None: ...


class MessageSender:
    """Records what it is about to do with a message before it does it, so that a killed bot leaves nothing unclear."""

    def __init__(self, rest: hikari.api.RESTClient, channel: int, store: SentMessages, limits: RateLimits) -> None:
        self._rest = rest
        self._channel = channel
        self._store = store
        self._limits = limits
        self._deleted: dict[tuple[str, str], int] = {}
        """Messages that were deleted because they were no longer wanted; they may be wanted again."""

    async def update(self, view: str, message: Message, known: SentMessage | None) -> None:
        """Send a message, or edit it so that it looks like this."""
        if known is None or known.unsent:
            await self._send(view, message, known)
        elif known.message is not None and not known.looks_like(digest(message)):
            try:
                await self._edit(message, known, known.message)
            except hikari.NotFoundError as error:
                if error.code == UNKNOWN_CHANNEL:
                    raise
                await self._found_deleted(message, known)

    async def delete(self, sent: SentMessage) -> None:
        """Delete a message that is no longer wanted."""
        message = sent.message
        match sent.state:
            case Sending():
                message = await self._sent_before(sent)
            case Missing(lost):
                self._deleted[sent.view, sent.key] = lost
        if message is not None:
            with suppress(hikari.NotFoundError):
                await self._rest.delete_message(self._channel, message)
            self._deleted[sent.view, sent.key] = message
        self._store.forget_sent(sent.view, sent.key)

    async def _send(self, view: str, message: Message, known: SentMessage | None) -> None:
        arguments = await _written(message)
        match known and known.state:
            case Sending() as state:
                again = True
            case Missing(lost):
                state, again = Sending(replaces=lost), False
            case _:
                state, again = Sending(self._deleted.get((view, message.key), 0)), False
        sending = SentMessage(view, message.key, self._channel, state)
        self._store.save_sent(sending)
        with self._in_doubt(sending):
            async with self._limits.request("post", self._channel):
                sent = await self._unarchived(
                    lambda: self._rest.create_message(self._channel, nonce=nonce(sending), **arguments)
                )
            if again:  # the message may be from the earlier attempt, with older content
                await self._rest.edit_message(sent.channel_id, sent.id, **arguments)
        self._store.save_sent(sending.becomes(Standing(int(sent.id), digest(message))))

    async def _sent_before(self, lost: SentMessage) -> int:
        """Find the message that a bot was sending when it died: Discord answers a nonce with its message."""
        found = await self._unarchived(lambda: self._rest.create_message(self._channel, "…", nonce=nonce(lost)))
        return int(found.id)

    async def _edit(self, message: Message, known: SentMessage, id_: int) -> None:
        looks = digest(message)
        same = isinstance(known.state, Standing) and same_files(known.state.digest, looks)
        arguments = await _written(message, resend_files=not same)
        if is_card(message):  # somebody may click it right now, and the response may come before or after the edit
            self._store.save_sent(known.becomes(Editing(id_)))
        with self._in_doubt(known):
            async with self._limits.request("edit", self._channel):
                await self._unarchived(lambda: self._rest.edit_message(self._channel, id_, **arguments))
        self._store.save_sent(known.becomes(Standing(id_, looks)))

    @contextmanager
    def _in_doubt(self, sent: SentMessage) -> Iterator[None]:
        """Mark a message as in doubt when a request fails: Discord may have handled it all the same."""
        try:
            yield
        except BaseException:
            now = next((each for each in self._store.sent_in(sent.view) if each.key == sent.key), None)
            if now is not None and now.message is not None:
                self._store.save_sent(now.becomes(InDoubt(now.message)))
            raise

    async def _found_deleted(self, message: Message, known: SentMessage) -> None:
        """Handle a message that a moderator deleted: a card is sent again, a text stays deleted."""
        deleted = known.was_deleted(comes_back=is_card(message))
        self._store.save_sent(deleted)
        if deleted.unsent:
            await self._send(known.view, message, deleted)

    async def _unarchived(self, send: Callable[[], Awaitable[hikari.Message]]) -> hikari.Message:
        """Send, and open the thread again first if it has been archived meanwhile."""
        try:
            return await send()
        except hikari.BadRequestError as error:
            if error.code != THREAD_ARCHIVED:
                raise
        await self._rest.edit_channel(self._channel, archived=False)
        return await send()


async def _written(message: Message, *, resend_files: bool = True) -> dict[str, Any]:
    """Write a message for Discord; large files go to a worker thread, as searching them for secrets takes time."""
    try:
        if sum(len(file.content) for file in message.files) < LARGE:
            return payload(message, resend_files=resend_files)
        return await asyncio.to_thread(payload, message, resend_files=resend_files)
    except Exception as error:
        raise NotDrawn from error


def nonce(sent: SentMessage) -> str:
    """Make a nonce, so that a request is not posted twice when hikari repeats it after a 5xx, or the next bot does.

    A message that replaces a deleted one gets another nonce: Discord would answer with the deleted message.
    """
    before = -sent.state.replaces if isinstance(sent.state, Sending) else 0
    return hashlib.sha256(f"{sent.view}/{sent.key}/{before}".encode()).hexdigest()[:25]
