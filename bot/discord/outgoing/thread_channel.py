"""Keeps a thread's messages up to date: sends new messages and edits changed ones."""

import asyncio
import logging
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager, suppress
from typing import Self

import hikari

from bot.discord.backoff import retry_pauses
from bot.discord.outgoing.components import is_card
from bot.discord.outgoing.message_digest import digest
from bot.discord.outgoing.message_sender import MessageSender, NotRendered, SentMessages
from bot.discord.outgoing.rate_limits import RateLimits
from bot.discord.outgoing.typing_indicator import TypingIndicator
from bot.messages import Message
from bot.ports import Trouble
from bot.sent_message import Deleted, SentMessage

UNKNOWN_MESSAGE = 10008

NOT_RENDERED = Message("not drawn", "⚠️ A message here can't be shown. The bot's log says why.")

log = logging.getLogger(__name__)


class ThreadChannel:
    """The `Channel` port for a thread: each view is a group of messages that is sent in its latest state."""

    def __init__(self, rest: hikari.api.RESTClient, channel: int, store: SentMessages, limits: RateLimits) -> None:
        self.id = channel
        self._store = store
        self._limits = limits
        self._sender = MessageSender(rest, channel, store, limits)
        self._typing = TypingIndicator(rest, channel, limits)
        self._views: dict[str, Callable[[], Sequence[Message]]] = {}
        self._amendments: dict[tuple[str, str], Message] = {}
        self._callbacks: dict[str, Callable[[], None]] = {}
        self._wake = asyncio.Event()
        self._idle = asyncio.Event()
        self._idle.set()
        self._failure: tuple[float, str] | None = None
        """When sending began to fail, and why."""
        self._not_rendered: dict[str, float] = {}
        """When each view that can't be rendered first failed."""
        self._deleted = False
        """Whether the thread was deleted; then nothing more is sent."""

    @classmethod
    @asynccontextmanager
    async def open(
        cls, rest: hikari.api.RESTClient, channel: int, store: SentMessages, limits: RateLimits
    ) -> AsyncIterator[Self]:
        """Keep a thread up to date inside the block."""
        self = cls(rest, channel, store, limits)
        async with asyncio.TaskGroup() as tasks:
            background = [tasks.create_task(self._run()), tasks.create_task(self._typing.run())]
            try:
                yield self
            finally:
                for task in background:
                    task.cancel()

    # The port

    def show(self, view: str, messages: Callable[[], Sequence[Message]]) -> None:
        self._views[view] = messages
        self._schedule_update()

    def amend(self, view: str, message: Message) -> None:
        self._amendments[view, message.key] = message
        self._schedule_update()

    def once_shown(self, view: str, then: Callable[[], None]) -> None:
        self._callbacks[view] = then
        self._schedule_update()

    def working(self, *, on: bool) -> None:
        self._typing.switch(on=on)

    def trouble(self) -> Trouble | None:
        if self._deleted:
            return Trouble("the thread was deleted", float("inf"))
        now = asyncio.get_running_loop().time()
        if self._failure is not None:
            since, reason = self._failure
            return Trouble(reason, now - since)
        if self._not_rendered:
            return Trouble("a message can't be rendered", now - min(self._not_rendered.values()))
        return None

    async def settled(self) -> None:
        await self._idle.wait()

    # Updates

    def _schedule_update(self) -> None:
        if not self._deleted:
            self._idle.clear()
            self._wake.set()

    async def _run(self) -> None:
        """Update the thread whenever a view changes; retry after a failure."""
        pauses = retry_pauses()
        while True:
            await self._wake.wait()
            self._wake.clear()
            try:
                pause = await self._update()
            except Exception as error:  # noqa: BLE001 - the thread must survive any error
                if isinstance(error, hikari.NotFoundError) and error.code != UNKNOWN_MESSAGE:
                    log.info("Thread %s was deleted.", self.id)
                    self._deleted = True
                    self._idle.set()
                    return
                await self._wait_after_failure(error, next(pauses))
            else:
                pauses, self._failure = retry_pauses(), None
                await self._wait_after_update(pause)

    async def _wait_after_failure(self, error: Exception, pause: float) -> None:
        since = self._failure[0] if self._failure else asyncio.get_running_loop().time()
        self._failure = (since, str(error))
        expected = isinstance(error, hikari.HikariError | OSError)
        log.warning(
            "Thread %s could not be updated, retrying in %g s: %s",
            self.id,
            pause,
            error,
            exc_info=None if expected else error,
        )
        await asyncio.sleep(pause)
        self._wake.set()

    async def _wait_after_update(self, pause: float | None) -> None:
        if pause is None:
            if not self._wake.is_set():
                self._idle.set()
            return
        with suppress(TimeoutError):
            async with asyncio.timeout(pause):
                await self._wake.wait()
        self._wake.set()

    async def _update(self) -> float | None:
        """Send all changes; return the seconds until the next edit is allowed if one came too early."""
        for (view, key), message in list(self._amendments.items()):
            try:
                await self._sender.update(view, message, self._sent_messages(view).get(key))
            except NotRendered as error:
                await self._post_not_rendered(view, error)
            if self._amendments[view, key] is message:
                del self._amendments[view, key]
        pauses = []
        for view in list(self._views):
            messages = self._views[view]  # removed only when it is up to date, to keep the order
            pause = None
            try:
                pause = await self._update_view(view, _render(messages))
            except NotRendered as error:
                await self._post_not_rendered(view, error)
            if pause is not None:
                pauses.append(pause)
            elif self._views[view] is messages:
                del self._views[view]
        self._call_callbacks()
        return min(pauses, default=None)

    def _call_callbacks(self) -> None:
        not_shown = {*self._views, *self._not_rendered, *(view for view, _ in self._amendments)}
        for view in [view for view in self._callbacks if view not in not_shown]:
            self._callbacks[view]()
            del self._callbacks[view]

    def _sent_messages(self, view: str) -> dict[str, SentMessage]:
        return {sent.key: sent for sent in self._store.sent_in(view)}

    async def _update_view(self, view: str, messages: Sequence[Message]) -> float | None:
        """Update one view; return the seconds to wait if an edit came too early."""
        known = self._sent_messages(view)
        new = [message for message in messages if (sent := known.get(message.key)) is None or sent.unsent]
        rest = list(messages)
        if any(is_card(message) for message in new):  # a card does not wait for edits of the text above it
            for message in new:
                await self._sender.update(view, message, known.pop(message.key, None))
            rest = [message for message in messages if message not in new]
        for message in rest:
            sent = known.pop(message.key, None)
            if sent is not None and (isinstance(sent.state, Deleted) or sent.looks_like(digest(message))):
                continue
            if sent is not None and not is_card(message):
                pause = self._limits.until_edit(self.id)
                if pause > 0 and not new:  # else new messages would have to wait, or would be sent out of order
                    return pause
                self._limits.count_edit(self.id)
            await self._sender.update(view, message, sent)
        for left_over in known.values():
            await self._sender.delete(left_over)
        self._not_rendered.pop(view, None)
        return None

    async def _post_not_rendered(self, view: str, error: NotRendered) -> None:
        """Post a note that a message can't be shown; the view's other messages stay."""
        if view not in self._not_rendered:
            log.error("The view %s of thread %s can't be rendered.", view, self.id, exc_info=error.__cause__)
            self._not_rendered[view] = asyncio.get_running_loop().time()
        await self._sender.update(view, NOT_RENDERED, self._sent_messages(view).get(NOT_RENDERED.key))


def _render(messages: Callable[[], Sequence[Message]]) -> Sequence[Message]:
    try:
        return messages()
    except Exception as error:
        raise NotRendered from error
