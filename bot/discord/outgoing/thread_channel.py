"""A thread made to look as it should: sends what is new, edits what changed, keeps only the newest."""

import asyncio
import logging
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager, suppress
from typing import Self

import hikari

from bot.discord.outgoing.components import is_card
from bot.discord.outgoing.message_digest import digest
from bot.discord.outgoing.message_sender import MessageSender, SentMessages
from bot.discord.outgoing.rate_limits import Traffic
from bot.messages import Message
from bot.ports import Trouble
from bot.sent_message import Deleted, SentMessage

EDIT_PACE = 1.2
"""Seconds between two edits: Discord takes about five in five seconds a channel, and hikari would queue the rest."""
TYPING_PACE = 8.0  # Discord shows it for ten seconds
RETRY = 2.0
LONGEST_RETRY = 60.0
log = logging.getLogger(__name__)


class ThreadChannel:
    """One thread's messages, as views that are told how to look."""

    def __init__(
        self, rest: hikari.api.RESTClient, channel: int, store: SentMessages, traffic: Traffic | None = None
    ) -> None:
        self.id = channel
        self._rest = rest
        self._traffic = traffic or Traffic()
        self._store = store
        self._sender = MessageSender(rest, channel, store, self._traffic)
        self._views: dict[str, Callable[[], Sequence[Message]]] = {}
        self._amends: dict[tuple[str, str], Message] = {}
        self._then: dict[str, Callable[[], None]] = {}
        self._wake = asyncio.Event()
        self._idle = asyncio.Event()
        self._idle.set()
        self._typing = asyncio.Event()
        self._next_edit = 0.0
        self._failing: tuple[float, str] | None = None
        """Since when nothing could be sent, and why."""
        self._gone = False
        """The thread was deleted: nothing can be shown any more, and nobody waits for it."""

    @classmethod
    @asynccontextmanager
    async def open(
        cls, rest: hikari.api.RESTClient, channel: int, store: SentMessages, traffic: Traffic | None = None
    ) -> AsyncIterator[Self]:
        """Keep a thread up to date inside the block."""
        self = cls(rest, channel, store, traffic)
        async with asyncio.TaskGroup() as tasks:
            pumping = tasks.create_task(self._pump())
            typing = tasks.create_task(self._type())
            try:
                yield self
            finally:
                pumping.cancel()
                typing.cancel()

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
        if on:
            self._typing.set()
        else:
            self._typing.clear()

    def trouble(self) -> Trouble | None:
        if self._gone:
            return Trouble("the thread was deleted", float("inf"))
        if self._failing is None:
            return None
        since, reason = self._failing
        return Trouble(reason, asyncio.get_running_loop().time() - since)

    async def settled(self) -> None:
        await self._idle.wait()

    # The pump

    def _stir(self) -> None:
        if not self._gone:
            self._idle.clear()
            self._wake.set()

    async def _pump(self) -> None:
        failures = 0
        while True:
            await self._wake.wait()
            self._wake.clear()
            try:
                pause = await self._round()
            except hikari.NotFoundError:
                log.info("Thread %s is gone.", self.id)
                self._gone = True
                self._idle.set()
                return
            except (hikari.HikariError, TimeoutError, OSError) as error:
                failures += 1
                since = self._failing[0] if self._failing else asyncio.get_running_loop().time()
                self._failing = (since, str(error))
                pause = min(RETRY * 2**failures, LONGEST_RETRY)
                log.warning("Thread %s can't be brought up to date, trying again in %g s: %s", self.id, pause, error)
                await asyncio.sleep(pause)
                self._wake.set()
            else:
                failures, self._failing = 0, None
                await self._rest_for(pause)

    async def _rest_for(self, pause: float | None) -> None:
        if pause is None:
            if not self._wake.is_set():
                self._idle.set()
            return
        with suppress(TimeoutError):
            async with asyncio.timeout(pause):
                await self._wake.wait()
        self._wake.set()

    async def _round(self) -> float | None:
        """Send what is due; returns how long an edit that came too early has to wait."""
        for (view, key), message in list(self._amends.items()):
            await self._sender.update(view, message, self._known(view).get(key))
            if self._amends[view, key] is message:
                del self._amends[view, key]
        pauses = []
        for view in list(self._views):
            messages = self._views[view]  # stays there until it is done: what was shown first also comes first
            pause = await self._look(view, messages())
            if pause is not None:
                pauses.append(pause)
            elif self._views[view] is messages:
                del self._views[view]
        self._tell_shown()
        return min(pauses, default=None)

    def _tell_shown(self) -> None:
        under_way = {*self._views, *(view for view, _ in self._amends)}
        for view in [view for view in self._then if view not in under_way]:
            self._then.pop(view)()

    def _known(self, view: str) -> dict[str, SentMessage]:
        return {sent.key: sent for sent in self._store.sent_in(view)}

    async def _look(self, view: str, messages: Sequence[Message]) -> float | None:
        """Make one view look like this; returns how long to wait where an edit came too early."""
        known = self._known(view)
        clock = asyncio.get_running_loop().time
        new = [message for message in messages if (sent := known.get(message.key)) is None or sent.unsent]
        rest = list(messages)
        if any(is_card(message) for message in new):  # it does not wait until the text above it has been edited
            for message in new:
                await self._sender.update(view, message, known.pop(message.key, None))
            rest = [message for message in messages if message not in new]
        for message in rest:
            sent = known.pop(message.key, None)
            if sent is not None and (isinstance(sent.state, Deleted) or sent.looks_like(digest(message))):
                continue
            if sent is not None and not is_card(message):
                pause = max(self._next_edit - clock(), self._traffic.pause())
                if pause > 0 and not new:  # else what follows it would have to wait, or come before its end
                    return pause
                self._next_edit = clock() + EDIT_PACE
            await self._sender.update(view, message, sent)
        for left_over in known.values():
            await self._sender.delete(left_over)
        return None

    async def _type(self) -> None:
        while True:
            await self._typing.wait()
            await asyncio.sleep(self._traffic.pause())
            with suppress(hikari.HikariError, OSError):
                async with self._traffic.of("type", self.id):
                    await self._rest.trigger_typing(self.id)
            await asyncio.sleep(TYPING_PACE)
