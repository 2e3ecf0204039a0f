"""A thread made to look as it should: sends what is new, edits what changed, keeps only the newest."""

import asyncio
import hashlib
import logging
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator, Sequence
from contextlib import asynccontextmanager, contextmanager, suppress
from dataclasses import replace
from typing import Any, Protocol, Self

import hikari

from bot.discord.outgoing.components import is_card, payload
from bot.discord.outgoing.rate_limits import Traffic
from bot.messages import Message
from bot.ports import Trouble
from bot.records import BEING_EDITED, Standing

EDIT_PACE = 1.2
"""Seconds between two edits: Discord takes about five in five seconds a channel, and hikari would queue the rest."""
TYPING_PACE = 8.0  # Discord shows it for ten seconds
RETRY = 2.0
LONGEST_RETRY = 60.0
LARGE = 100_000
"""Bytes of files from which on a message is written in a thread."""
REMOVED = 0
"""The message id of a text that somebody deleted: it stays deleted."""

THREAD_ARCHIVED = 50083
UNKNOWN_CHANNEL = 10003

log = logging.getLogger(__name__)


class Standings(Protocol):
    """What stands in Discord, remembered."""

    def stand(self, standing: Standing) -> None: ...
    def standing(self, view: str) -> list[Standing]: ...
    def fall(self, view: str, key: str) -> None: ...


class ThreadChannel:
    """One thread's messages, as views that are told how to look."""

    def __init__(
        self, rest: hikari.api.RESTClient, channel: int, standings: Standings, traffic: Traffic | None = None
    ) -> None:
        self.id = channel
        self._rest = rest
        self._traffic = traffic or Traffic()
        self._standings = standings
        self._views: dict[str, Callable[[], Sequence[Message]]] = {}
        self._amends: dict[tuple[str, str], Message] = {}
        self._then: dict[str, Callable[[], None]] = {}
        self._fallen: dict[tuple[str, str], int] = {}
        """The messages that were deleted because they were not wanted any more: one may come anew."""
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
        cls, rest: hikari.api.RESTClient, channel: int, standings: Standings, traffic: Traffic | None = None
    ) -> AsyncIterator[Self]:
        """Keep a thread up to date inside the block."""
        self = cls(rest, channel, standings, traffic)
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

    def stands(self, view: str, message: Message, id_: int) -> None:
        """Note that a message has been changed by other means: the answer to a click."""
        self._standings.stand(Standing(view, message.key, self.id, id_, digest(message)))

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
            standing = {s.key: s for s in self._standings.standing(view)}
            await self._make(view, message, standing.get(key))
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

    async def _look(self, view: str, messages: Sequence[Message]) -> float | None:
        """Make one view look like this; returns how long to wait where an edit came too early."""
        standing = {s.key: s for s in self._standings.standing(view)}
        clock = asyncio.get_running_loop().time
        new = [message for message in messages if _is_new(standing.get(message.key))]
        rest = list(messages)
        if any(is_card(message) for message in new):  # it does not wait until the text above it has been edited
            for message in new:
                await self._make(view, message, standing.pop(message.key, None))
            rest = [message for message in messages if message not in new]
        for message in rest:
            known = standing.pop(message.key, None)
            if known is not None and known.message >= REMOVED and known.looks_like(digest(message)):
                continue
            if known is not None and not is_card(message):
                pause = max(self._next_edit - clock(), self._traffic.pause())
                if pause > 0 and not new:  # else what follows it would have to wait, or come before its end
                    return pause
                self._next_edit = clock() + EDIT_PACE
            await self._make(view, message, known)
        for left_over in standing.values():
            id_ = await self._sent_before(left_over) if left_over.on_its_way else left_over.message
            if id_ > REMOVED:
                with suppress(hikari.NotFoundError):
                    await self._rest.delete_message(self.id, id_)
                self._fallen[view, left_over.key] = id_
            self._standings.fall(view, left_over.key)
        return None

    async def _make(self, view: str, message: Message, known: Standing | None) -> None:
        if known is None or _is_new(known):
            await self._post(view, message, known)
        elif known.message != REMOVED and not known.looks_like(digest(message)):
            try:
                await self._edit(view, message, known)
            except hikari.NotFoundError as error:
                if error.code == UNKNOWN_CHANNEL:
                    raise
                await self._deleted(view, message, known)

    async def _post(self, view: str, message: Message, known: Standing | None) -> None:
        again = known is not None and known.on_its_way
        if known is None:
            known = Standing(view, message.key, self.id, -self._fallen.get((view, message.key), REMOVED), "")
            self._standings.stand(known)
        nonce = _nonce(known)
        arguments = await _written(message)
        with self._in_doubt(view, message.key):
            async with self._traffic.of("post", self.id):
                sent = await self._unarchived(lambda: self._rest.create_message(self.id, nonce=nonce, **arguments))
            if again:  # what stands there may be of the earlier attempt, and older
                await self._rest.edit_message(sent.channel_id, sent.id, **arguments)
        self.stands(view, message, sent.id)

    async def _sent_before(self, lost: Standing) -> int:
        """Find out which message it was that a bot sent at its death: Discord answers a nonce with its message."""
        found = await self._unarchived(lambda: self._rest.create_message(self.id, "…", nonce=_nonce(lost)))
        return int(found.id)

    async def _edit(self, view: str, message: Message, known: Standing) -> None:
        resend = known.digest.partition(":")[0] != digest(message).partition(":")[0]
        arguments = await _written(message, resend_files=resend)
        if is_card(message):  # somebody may press it right now, and the answer would come before or after the edit
            self._standings.stand(replace(known, digest=BEING_EDITED))
        with self._in_doubt(view, message.key):
            async with self._traffic.of("edit", self.id):
                await self._unarchived(lambda: self._rest.edit_message(self.id, known.message, **arguments))
        self.stands(view, message, known.message)

    @contextmanager
    def _in_doubt(self, view: str, key: str) -> Iterator[None]:
        """Take nothing for granted about a message when sending it fails: Discord may have done it all the same."""
        try:
            yield
        except BaseException:
            now = next((each for each in self._standings.standing(view) if each.key == key), None)
            if now is not None and now.message > REMOVED:
                self._standings.stand(replace(now, digest=""))
            raise

    async def _deleted(self, view: str, message: Message, known: Standing) -> None:
        """A moderator deleted it: a card that can be pressed comes back, a text stays deleted."""
        if is_card(message):
            lost = replace(known, message=-known.message)
            self._standings.stand(lost)
            await self._post(view, message, lost)
        else:
            self._standings.stand(replace(known, message=REMOVED))

    async def _unarchived(self, send: Callable[[], Awaitable[hikari.Message]]) -> hikari.Message:
        """Send, and open the thread again first if it has been archived meanwhile."""
        try:
            return await send()
        except hikari.BadRequestError as error:
            if error.code != THREAD_ARCHIVED:
                raise
        await self._rest.edit_channel(self.id, archived=False)
        return await send()

    async def _type(self) -> None:
        while True:
            await self._typing.wait()
            await asyncio.sleep(self._traffic.pause())
            with suppress(hikari.HikariError, OSError):
                async with self._traffic.of("type", self.id):
                    await self._rest.trigger_typing(self.id)
            await asyncio.sleep(TYPING_PACE)


async def _written(message: Message, *, resend_files: bool = True) -> dict[str, Any]:
    """Write a message for Discord; one with large files in a thread, where looking for secrets holds nobody up."""
    if sum(len(file.content) for file in message.files) < LARGE:
        return payload(message, resend_files=resend_files)
    return await asyncio.to_thread(payload, message, resend_files=resend_files)


def _is_new(known: Standing | None) -> bool:
    """Whether a message has to be sent: it never was, perhaps was not, or is a card that somebody deleted."""
    return known is None or known.on_its_way or known.message < REMOVED


def _nonce(standing: Standing) -> str:
    """Name a sending: hikari repeats one after a 5xx, the next bot one that this bot is killed at; none stands twice.

    What was deleted and comes again is sent under another name: Discord would answer with the deleted one.
    """
    return hashlib.sha256(f"{standing.view}/{standing.key}/{standing.message}".encode()).hexdigest()[:25]


def digest(message: Message) -> str:
    """Name a message's content: its files, then everything else."""
    files = hashlib.sha256()
    for file in message.files:
        files.update(file.name.encode() + b"\0" + file.content)
    rest = hashlib.sha256(repr((message.text, message.components)).encode(errors="surrogatepass"))
    return f"{files.hexdigest()[:16]}:{rest.hexdigest()[:16]}"
