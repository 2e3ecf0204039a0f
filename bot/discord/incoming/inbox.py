"""Receives every message that people write, including those written while the bot was away."""

import asyncio
import logging
import time
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import NamedTuple, Protocol, TypeVar
from weakref import WeakValueDictionary

import hikari

from bot.config import Choices
from bot.discord.backoff import retry_pauses
from bot.errors import NotDone, Stopping
from bot.projects.projects import Projects
from bot.records import ConversationRecord

TOO_OLD = timedelta(hours=6)
"""Older messages are not answered: anyone who still needs an answer will write again."""
MOST_FETCHED = 200
"""Most messages that are fetched from one channel."""
FAILED = "⚠️ This message can't be handled because of an error. Write it again; the bot's log has the details."
WRITTEN = frozenset({hikari.MessageType.DEFAULT, hikari.MessageType.REPLY})
"""Types of messages that people write. Notices have an author too, for example when a thread is renamed to "Yes"."""

log = logging.getLogger(__name__)

TextChannel = hikari.GuildTextChannel | hikari.GuildNewsChannel | hikari.GuildThreadChannel
HandleMessage = Callable[[hikari.Message, hikari.Member], Awaitable[None]]
Found = TypeVar("Found")


class InboxStore(Protocol):
    """How far each channel has been read, and which messages are still being handled."""

    def conversation(self, conversation: int) -> ConversationRecord | None: ...
    def start_handling(self, message: int, channel: int) -> bool: ...
    def finish_handling(self, message: int) -> None: ...
    def unfinished_messages(self) -> list[tuple[int, int]]: ...
    def last_seen(self, channel: int) -> int | None: ...
    def mark_seen(self, channel: int, message: int) -> None: ...


class Gap(NamedTuple):
    """A part of a channel that has not been read."""

    after: int
    newest: int


@dataclass(frozen=True, slots=True)
class Inbox:
    """Passes every message of a person to `handle` exactly once, whether it came from the gateway or was fetched later.

    Messages of one conversation are handled in the order in which they were written: each waits for those before it,
    whose files may take long to download, and for missed messages in its channel. If a message can't be handled, its
    author is told, and the others are handled anyway.
    """

    bot: hikari.GatewayBot
    projects: Projects
    store: InboxStore
    handle: HandleMessage
    ready: asyncio.Event
    _unfinished: dict[int, list[tuple[int, int]]] = field(default_factory=dict)
    """Messages and their channels that an earlier bot did not finish handling, by conversation."""
    _gaps: dict[int, Gap] = field(default_factory=dict)
    """The part of each channel that was written while the bot was away and has not been fetched yet."""
    _handled: set[int] = field(default_factory=set)
    """Messages that this bot has handled: a fetched one may have come from the gateway too."""
    _fetch_locks: WeakValueDictionary[int, asyncio.Lock] = field(default_factory=WeakValueDictionary)
    """One for each channel."""
    _handle_locks: WeakValueDictionary[int, asyncio.Lock] = field(default_factory=WeakValueDictionary)
    """One for each conversation."""

    def subscribe(self) -> None:
        for message, channel in self.store.unfinished_messages():
            self._unfinished.setdefault(self._conversation_of(message, channel), []).append((message, channel))
        self.bot.subscribe(hikari.GuildMessageCreateEvent, self.on_message)
        # Sent for each guild at the start, and again when the gateway session could not be resumed.
        self.bot.subscribe(hikari.GuildAvailableEvent, self.on_guild)

    async def on_message(self, event: hikari.GuildMessageCreateEvent) -> None:
        channel = int(event.channel_id)
        if _is_written(event.message) and event.member is not None and self._is_ours(channel):
            await self._catch_up(channel, _Members(self.bot, int(event.guild_id)))
            await self._handle_once(event.message, event.member)

    async def on_guild(self, event: hikari.GuildAvailableEvent) -> None:
        channels = {int(id_): int(id_) for id_ in event.channels}
        parents = {int(id_): int(thread.parent_id) for id_, thread in event.threads.items()}
        newest = {
            int(id_): int(channel.last_message_id or id_)
            for id_, channel in {**event.channels, **event.threads}.items()
            if isinstance(channel, TextChannel)
        }
        # Before any await: a message that arrives from now on counts as seen, and would hide those that were missed.
        seen = {place: self._last_seen(place, parent) for place, parent in {**channels, **parents}.items()}
        for place, parent in {**channels, **parents}.items():
            if place in newest and self.projects.settings.project_of(parent) is not None:
                self._note_gap(place, seen[place], newest[place])
        members = _Members(self.bot, int(event.guild_id))
        unfinished = [
            place for place, messages in self._unfinished.items() if any(channel in newest for _, channel in messages)
        ]
        for place in [*unfinished, *(place for place in newest if place in self._gaps)]:
            await self._catch_up(place, members)

    def _last_seen(self, place: int, parent: int) -> int | None:
        """Return the last message that was read in a channel; None if the bot is new to it."""
        seen = self.store.last_seen(place)
        if seen is None and place != parent and self.store.last_seen(parent) is not None:
            return place  # a new thread in a channel that the bot was listening to
        return seen

    def _note_gap(self, place: int, last_seen: int | None, newest: int) -> None:
        if last_seen is None:
            self.store.mark_seen(place, newest)
        elif newest > last_seen:
            before = self._gaps.get(place)  # from a fetch that is not done yet
            self._gaps[place] = Gap(min(before.after, last_seen) if before else last_seen, newest)

    async def _catch_up(self, place: int, members: "_Members") -> None:
        """Handle earlier messages: those that an earlier bot did not finish, and those that were missed."""
        await self.ready.wait()
        if place not in self._unfinished and place not in self._gaps:
            return
        async with _locked(self._fetch_locks, place):
            for message, channel in self._unfinished.pop(place, []):
                await self._finish(message, channel, members)
            if gap := self._gaps.get(place):
                for found in await self._fetch_missed(place, gap.after):
                    member = await members.of(found)
                    if member is not None:
                        await self._handle_once(found, member)
                self.store.mark_seen(place, gap.newest)
                if self._gaps[place] == gap:  # and no more were missed in the meantime
                    del self._gaps[place]

    async def _fetch_missed(self, channel: int, after: int) -> list[hikari.Message]:
        limit = datetime.now(UTC) - TOO_OLD
        start = max(
            after, int(hikari.Snowflake.from_datetime(limit))
        )  # older ones would use up the most that is fetched

        async def fetch() -> list[hikari.Message]:
            return list(await self.bot.rest.fetch_messages(channel, after=start).limit(MOST_FETCHED))

        found = await _retry(f"The missed messages in channel {channel}", fetch) or []
        return [message for message in sorted(found, key=lambda each: each.id) if message.created_at > limit]

    async def _finish(self, message: int, channel: int, members: "_Members") -> None:
        """Handle a message that an earlier bot did not finish."""
        found = await _retry(f"Message {message}", lambda: self.bot.rest.fetch_message(channel, message))
        member = await members.of(found) if found else None
        if found is None or member is None:
            self.store.finish_handling(message)
        else:
            await self._handle_in_order(found, member)

    async def _handle_once(self, message: hikari.Message, member: hikari.Member) -> None:
        if int(message.id) in self._handled:
            return
        self._handled.add(int(message.id))
        if self.store.start_handling(int(message.id), int(message.channel_id)):
            await self._handle_in_order(message, member)

    def _is_ours(self, channel: int) -> bool:
        settings = self.projects.settings
        thread = self.bot.cache.get_thread(channel)
        if settings.project_of(channel) or (thread is not None and settings.project_of(int(thread.parent_id))):
            return True
        return self.store.conversation(channel) is not None

    def _conversation_of(self, message: int, channel: int) -> int:
        """Return the thread of a message: the one opened on it, or the place where it was written."""
        project = self.projects.settings.project_of(channel)
        opens = project is not None and project.at(Choices()).style != "channel"
        return message if opens else channel

    async def _handle_in_order(self, message: hikari.Message, member: hikari.Member) -> None:
        """Handle a message after those before it in its conversation."""
        async with _locked(self._handle_locks, self._conversation_of(int(message.id), int(message.channel_id))):
            try:
                await _retry(f"Message {message.id}", lambda: self.handle(message, member))
            except (Stopping, hikari.UnauthorizedError):  # the next bot handles it
                return
            except Exception as error:
                if not isinstance(error, NotDone):
                    log.exception("Message %s can't be handled.", message.id)
                await _say_failed(message, str(error) if isinstance(error, NotDone) else FAILED)
            self.store.finish_handling(int(message.id))


@asynccontextmanager
async def _locked(locks: WeakValueDictionary[int, asyncio.Lock], place: int) -> AsyncIterator[None]:
    """Hold the lock of a place; locks that nobody uses are dropped."""
    lock = locks.setdefault(place, asyncio.Lock())
    async with lock:
        yield


async def _say_failed(message: hikari.Message, sentence: str) -> None:
    with suppress(hikari.HikariError, OSError):
        await message.respond(sentence)


def _is_written(message: hikari.Message) -> bool:
    author = message.author
    return message.type in WRITTEN and not (author.is_bot or author.is_system or message.webhook_id is not None)


async def _retry(what: str, attempt: Callable[[], Awaitable[Found]]) -> Found | None:
    """Retry until Discord answers; return None if it refuses or if this takes too long."""
    began, pauses = time.monotonic(), retry_pauses()
    while True:
        try:
            return await attempt()
        except hikari.UnauthorizedError:  # the bot is about to stop, and the next one will try again
            raise
        except hikari.ClientHTTPResponseError as error:
            log.warning("%s can't be handled: %s", what, error)
            return None
        except (hikari.HTTPError, OSError) as error:
            if time.monotonic() - began > TOO_OLD.total_seconds():
                log.warning("%s can't be handled, giving up: %s", what, error)
                return None
            pause = next(pauses)
            log.warning("%s can't be handled yet, trying again in %g s: %s", what, pause, error)
            await asyncio.sleep(pause)


@dataclass(slots=True)
class _Members:
    """Looks up the authors of fetched messages, which come without roles."""

    bot: hikari.GatewayBot
    guild: int
    _known: dict[int, hikari.Member | None] = field(default_factory=dict)

    async def of(self, message: hikari.Message) -> hikari.Member | None:
        """Return the author as a member; None for a notice, a bot, a webhook, or someone who has left."""
        author = message.author
        if not _is_written(message):
            return None
        if int(author.id) not in self._known:
            self._known[int(author.id)] = await _retry(
                f"Message {message.id}", lambda: self.bot.rest.fetch_member(self.guild, author.id)
            )
        return self._known[int(author.id)]
