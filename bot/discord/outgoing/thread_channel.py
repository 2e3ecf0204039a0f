"""Keeps a thread's messages up to date: sends new ones and edits changed ones, always in their latest state."""

import asyncio
import logging
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager, suppress
from typing import Self

import hikari

from bot.discord.backoff import retry_pauses
from bot.discord.outgoing.components import is_card
from bot.discord.outgoing.message_digest import digest
from bot.discord.outgoing.message_sender import MessageSender, NotDrawn, SentMessages
from bot.discord.outgoing.rate_limits import RateLimits
from bot.discord.outgoing.typing_indicator import TypingIndicator
from bot.messages import Message
from bot.ports import Trouble
from bot.sent_message import Deleted, SentMessage

UNKNOWN_MESSAGE = 10008

NOT_DRAWN = Message("not drawn", "⚠️ Something here can't be shown. The bot's log says why.")

log = logging.getLogger(__name__)


class ThreadChannel:
    """One thread's messages, grouped into views."""

    def __init__(self, rest: hikari.api.RESTClient, channel: int, store: SentMessages, limits: RateLimits) -> None:
        self.id = channel
        self._store = store
        self._limits = limits
        self._sender = MessageSender(rest, channel, store, limits)
        self._typing = TypingIndicator(rest, channel, limits)
        self._views: dict[str, Callable[[], Sequence[Message]]] = {}
        self._amends: dict[tuple[str, str], Message] = {}
        self._then: dict[str, Callable[[], None]] = {}
        self._wake = asyncio.Event()
        self._idle = asyncio.Event()
        self._idle.set()
        self._failing: tuple[float, str] | None = None
        """Since when sending has failed, and why."""
        self._not_drawn: dict[str, float] = {}
        """The views that can't be drawn, and since when."""
        self._gone = False
        """The thread was deleted, so nothing can be shown any more."""

    @classmethod
    @asynccontextmanager
    async def open(
        cls, rest: hikari.api.RESTClient, channel: int, store: SentMessages, limits: RateLimits
    ) -> AsyncIterator[Self]:
        """Keep a thread up to date inside the block."""
        self = cls(rest, channel, store, limits)
        async with asyncio.TaskGroup() as tasks:
            beside = [tasks.create_task(self._keep()), tasks.create_task(self._typing.keep())]
            try:
                yield self
            finally:
                for task in beside:
                    task.cancel()

    # The port

    def show(self, view: str, messages: Callable[[], Sequence[Message]]) -> None:
        self._views[view] = messages
        self._stir()

    def amend(self, view: str, message: Message) -> None:
        self._amends[view, message.key] = message
        self._stir()

    def once_shown(self, view: str, then: Callable[[], None]) -> None:
        self._then[view] = then
        self._stir()

    def working(self, *, on: bool) -> None:
        self._typing.switch(on=on)

    def trouble(self) -> Trouble | None:
        if self._gone:
            return Trouble("the thread was deleted", float("inf"))
        now = asyncio.get_running_loop().time()
        if self._failing is not None:
            since, reason = self._failing
            return Trouble(reason, now - since)
        if self._not_drawn:
            return Trouble("a message can't be drawn", now - min(self._not_drawn.values()))
        return None

    async def settled(self) -> None:
        await self._idle.wait()

    # Keeping it up to date

    def _stir(self) -> None:
        if not self._gone:
            self._idle.clear()
            self._wake.set()

    async def _keep(self) -> None:
        """Update the thread whenever something is shown; retry after a failure."""
        pauses = retry_pauses()
        while True:
            await self._wake.wait()
            self._wake.clear()
            try:
                pause = await self._update()
            except Exception as error:  # noqa: BLE001 - whatever it is, the thread goes on
                if isinstance(error, hikari.NotFoundError) and error.code != UNKNOWN_MESSAGE:
                    log.info("Thread %s is gone.", self.id)
                    self._gone = True
                    self._idle.set()
                    return
                await self._failed(error, next(pauses))
            else:
                pauses, self._failing = retry_pauses(), None
                await self._rest_for(pause)

    async def _failed(self, error: Exception, pause: float) -> None:
        since = self._failing[0] if self._failing else asyncio.get_running_loop().time()
        self._failing = (since, str(error))
        expected = isinstance(error, hikari.HikariError | OSError)
        log.warning(
            "Thread %s can't be updated, trying again in %g s: %s",
            self.id,
            pause,
            error,
            exc_info=None if expected else error,
        )
        await asyncio.sleep(pause)
        self._wake.set()

    async def _rest_for(self, pause: float | None) -> None:
        if pause is None:
            if not self._wake.is_set():
                self._idle.set()
            return
        with suppress(TimeoutError):
            async with asyncio.timeout(pause):
                await self._wake.wait()
        self._wake.set()

    async def _update(self) -> float | None:
        """Send what is due; gives the seconds that an edit which is too early has to wait."""
        for (view, key), message in list(self._amends.items()):
            try:
                await self._sender.update(view, message, self._known(view).get(key))
            except NotDrawn as error:
                await self._say_not_drawn(view, error)
            if self._amends[view, key] is message:
                del self._amends[view, key]
        pauses = []
        for view in list(self._views):
            messages = self._views[view]  # stays there until it is done, to keep the order
            pause = None
            try:
                pause = await self._update_view(view, _drawn(messages))
            except NotDrawn as error:
                await self._say_not_drawn(view, error)
            if pause is not None:
                pauses.append(pause)
            elif self._views[view] is messages:
                del self._views[view]
        self._tell_shown()
        return min(pauses, default=None)

    def _tell_shown(self) -> None:
        not_shown = {*self._views, *self._not_drawn, *(view for view, _ in self._amends)}
        for view in [view for view in self._then if view not in not_shown]:
            self._then[view]()
            del self._then[view]

    def _known(self, view: str) -> dict[str, SentMessage]:
        return {sent.key: sent for sent in self._store.sent_in(view)}

    async def _update_view(self, view: str, messages: Sequence[Message]) -> float | None:
        """Update one view; gives the seconds to wait if an edit is too early."""
        known = self._known(view)
        new = [message for message in messages if (sent := known.get(message.key)) is None or sent.unsent]
        rest = list(messages)
        if any(is_card(message) for message in new):  # it does not wait for edits of the text above it
            for message in new:
                await self._sender.update(view, message, known.pop(message.key, None))
            rest = [message for message in messages if message not in new]
        for message in rest:
            sent = known.pop(message.key, None)
            if sent is not None and (isinstance(sent.state, Deleted) or sent.looks_like(digest(message))):
                continue
            if sent is not None and not is_card(message):
                pause = self._limits.until_edit(self.id)
                if pause > 0 and not new:  # else new messages would have to wait, or come too early
                    return pause
                self._limits.count_edit(self.id)
            await self._sender.update(view, message, sent)
        for left_over in known.values():
            await self._sender.delete(left_over)
        self._not_drawn.pop(view, None)
        return None

    async def _say_not_drawn(self, view: str, error: NotDrawn) -> None:
        """Post that something can't be shown; the view's other messages stay."""
        if view not in self._not_drawn:
            log.error("The view %s of thread %s can't be drawn.", view, self.id, exc_info=error.__cause__)
            self._not_drawn[view] = asyncio.get_running_loop().time()
        await self._sender.update(view, NOT_DRAWN, self._known(view).get(NOT_DRAWN.key))


def _drawn(messages: Callable[[], Sequence[Message]]) -> Sequence[Message]:
    try:
        return messages()
    except Exception as error:
        raise NotDrawn from error
