"""Sends, edits and deletes the messages of one thread, so that none ever stands there twice."""

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
"""Bytes of files from which on a message is written in a thread."""

THREAD_ARCHIVED = 50083
UNKNOWN_CHANNEL = 10003


class NotDrawn(Exception):  # noqa: N818 - what happened, as in the tree of errors
    """What a message should look like can't be worked out, or written for Discord; the cause says why."""


class SentMessages(Protocol):
    """What stands in Discord, remembered."""

    def sent_in(self, view: str) -> list[SentMessage]: ...
    def save_sent(self, sent: SentMessage) -> None: ...
    def replace_sent(self, sent: SentMessage, state: MessageState) -> None: ...
    def forget_sent(self, view: str, key: str) -> None: ...


class MessageSender:
    """Writes down what it is about to do with a message, then does it: a bot that is killed leaves no riddle."""

    def __init__(self, rest: hikari.api.RESTClient, channel: int, store: SentMessages, limits: RateLimits) -> None:
        self._rest = rest
        self._channel = channel
        self._store = store
        self._limits = limits
        self._deleted: dict[tuple[str, str], int] = {}
        """The messages that were deleted because they were not wanted any more: one may come anew."""

    async def update(self, view: str, message: Message, known: SentMessage | None) -> None:
        """Make a message stand in the thread and look like this."""
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
        """Delete a message that is not wanted any more."""
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
            if again:  # what stands there may be of the earlier attempt, and older
                await self._rest.edit_message(sent.channel_id, sent.id, **arguments)
        self._store.save_sent(sending.becomes(Standing(int(sent.id), digest(message))))

    async def _sent_before(self, lost: SentMessage) -> int:
        """Find out which message it was that a bot sent at its death: Discord answers a nonce with its message."""
        found = await self._unarchived(lambda: self._rest.create_message(self._channel, "…", nonce=nonce(lost)))
        return int(found.id)

    async def _edit(self, message: Message, known: SentMessage, id_: int) -> None:
        looks = digest(message)
        same = isinstance(known.state, Standing) and same_files(known.state.digest, looks)
        arguments = await _written(message, resend_files=not same)
        if is_card(message):  # somebody may press it right now, and the answer would come before or after the edit
            self._store.save_sent(known.becomes(Editing(id_)))
        with self._in_doubt(known):
            async with self._limits.request("edit", self._channel):
                await self._unarchived(lambda: self._rest.edit_message(self._channel, id_, **arguments))
        self._store.save_sent(known.becomes(Standing(id_, looks)))

    @contextmanager
    def _in_doubt(self, sent: SentMessage) -> Iterator[None]:
        """Take nothing for granted about a message when sending it fails: Discord may have done it all the same."""
        try:
            yield
        except BaseException:
            now = next((each for each in self._store.sent_in(sent.view) if each.key == sent.key), None)
            if now is not None and now.message is not None:
                self._store.save_sent(now.becomes(InDoubt(now.message)))
            raise

    async def _found_deleted(self, message: Message, known: SentMessage) -> None:
        """A moderator deleted it: a card that can be pressed comes back, a text stays deleted."""
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
    """Write a message for Discord; one with large files in a thread, where looking for secrets holds nobody up."""
    try:
        if sum(len(file.content) for file in message.files) < LARGE:
            return payload(message, resend_files=resend_files)
        return await asyncio.to_thread(payload, message, resend_files=resend_files)
    except Exception as error:
        raise NotDrawn from error


def nonce(sent: SentMessage) -> str:
    """Name a sending: hikari repeats one after a 5xx, the next bot one that this bot is killed at; none stands twice.

    What was deleted and comes again is sent under another name: Discord would answer with the deleted one.
    """
    before = -sent.state.replaces if isinstance(sent.state, Sending) else 0
    return hashlib.sha256(f"{sent.view}/{sent.key}/{before}".encode()).hexdigest()[:25]
