"""What people wrote while nobody listened: found again when the bot is back, and taken as if it had been there."""

import asyncio
import logging
import time
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import NamedTuple, Protocol, TypeVar
from weakref import WeakValueDictionary

import hikari

from bot.config import Choices
from bot.projects.projects import Projects
from bot.records import ConversationRecord

TOO_OLD = timedelta(hours=6)
"""Nobody waits for the answer to an older message any more; whoever does writes again."""
MOST = 200
"""Messages of one channel that are read again."""
PAUSE = 1.0
LONGEST_PAUSE = 60.0
WRITTEN = frozenset({hikari.MessageType.DEFAULT, hikari.MessageType.REPLY})
"""The messages that a person wrote. Discord's notices carry a person's name too: renaming a thread to "Yes" is one."""

log = logging.getLogger(__name__)

Talked = hikari.GuildTextChannel | hikari.GuildNewsChannel | hikari.GuildThreadChannel
Hear = Callable[[hikari.Message, hikari.Member], Awaitable[None]]
Found = TypeVar("Found")


class InboxStore(Protocol):
    """How far each channel has been read, and which messages are not dealt with yet."""

    def conversation(self, conversation: int) -> ConversationRecord | None: ...
    def take_in_hand(self, message: int, channel: int) -> bool: ...
    def put_down(self, message: int) -> None: ...
    def in_hand(self) -> list[tuple[int, int]]: ...
    def seen(self, channel: int) -> int | None: ...
    def see(self, channel: int, message: int) -> None: ...


class Gap(NamedTuple):
    """A part of a channel that has not been read."""

    after: int
    newest: int


@dataclass(frozen=True, slots=True)
class Inbox:
    """Brings every message of a person to `hear`, once: heard at the gateway, or read afterwards.

    What belongs to one conversation is heard in the order in which it was written: a message waits for those before it,
    whose files may take long to fetch, and for what was missed in its channel.
    """

    bot: hikari.GatewayBot
    projects: Projects
    store: InboxStore
    hear: Hear
    ready: asyncio.Event
    _left: dict[int, list[tuple[int, int]]] = field(default_factory=dict)
    """Messages, with their channels, that a bot took in hand and died; by the conversation that they belong to."""
    _gaps: dict[int, Gap] = field(default_factory=dict)
    """What was written in each channel while nobody listened. It counts as unseen until it is read."""
    _heard: set[int] = field(default_factory=set)
    """Taken in hand by this one: what is read afterwards may have been heard as well."""
    _readers: WeakValueDictionary[int, asyncio.Lock] = field(default_factory=WeakValueDictionary)
    _lines: WeakValueDictionary[int, asyncio.Lock] = field(default_factory=WeakValueDictionary)

    def subscribe(self) -> None:
        for message, channel in self.store.in_hand():
            self._left.setdefault(self._conversation_of(message, channel), []).append((message, channel))
        self.bot.subscribe(hikari.GuildMessageCreateEvent, self.on_message)
        # Comes for each guild at the start, and again where Discord has forgotten the session.
        self.bot.subscribe(hikari.GuildAvailableEvent, self.on_guild)

    async def on_message(self, event: hikari.GuildMessageCreateEvent) -> None:
        channel = int(event.channel_id)
        if _is_written(event.message) and event.member is not None and self._is_ours(channel):
            await self._caught_up(channel, _Members(self.bot, int(event.guild_id)))
            await self._take(event.message, event.member)

    async def on_guild(self, event: hikari.GuildAvailableEvent) -> None:
        channels = {int(id_): int(id_) for id_ in event.channels}
        parents = {int(id_): int(thread.parent_id) for id_, thread in event.threads.items()}
        newest = {
            int(id_): int(channel.last_message_id or id_)
            for id_, channel in {**event.channels, **event.threads}.items()
            if isinstance(channel, Talked)
        }
        # Before anything is awaited: what is heard from now on counts as seen, and would hide what was missed.
        known = {place: self._known_from(place, parent) for place, parent in {**channels, **parents}.items()}
        for place, parent in {**channels, **parents}.items():
            if place in newest and self.projects.settings.project_of(parent) is not None:
                self._note_gap(place, known[place], newest[place])
        members = _Members(self.bot, int(event.guild_id))
        left = [place for place, messages in self._left.items() if any(channel in newest for _, channel in messages)]
        for place in [*left, *(place for place in newest if place in self._gaps)]:
            await self._caught_up(place, members)

    def _known_from(self, place: int, parent: int) -> int | None:
        """Say up to where a place has been read; None where we have only now begun to listen."""
        seen = self.store.seen(place)
        if seen is None and place != parent and self.store.seen(parent) is not None:
            return place  # a thread of which we have heard nothing, in a channel that we were listening to
        return seen

    def _note_gap(self, place: int, known_from: int | None, newest: int) -> None:
        if known_from is None:
            self.store.see(place, newest)
        elif newest > known_from:
            before = self._gaps.get(place)  # of a reading that is not through yet
            self._gaps[place] = Gap(min(before.after, known_from) if before else known_from, newest)

    async def _caught_up(self, place: int, members: "_Members") -> None:
        """Have all dealt with that came before: what a bot that died had in hand, and what nobody heard."""
        await self.ready.wait()
        if place not in self._left and place not in self._gaps:
            return
        async with _held(self._readers, place):
            for message, channel in self._left.pop(place, []):
                await self._again(message, channel, members)
            if gap := self._gaps.get(place):
                for found in await self._since(place, gap.after):
                    member = await members.of(found)
                    if member is not None:
                        await self._take(found, member)
                self.store.see(place, gap.newest)
                if self._gaps[place] == gap:  # and no more was missed meanwhile
                    del self._gaps[place]

    async def _since(self, channel: int, after: int) -> list[hikari.Message]:
        async def fetched() -> list[hikari.Message]:
            return list(await self.bot.rest.fetch_messages(channel, after=after).limit(MOST))

        limit = datetime.now(UTC) - TOO_OLD
        found = await _in_the_end(f"What was missed in channel {channel}", fetched) or []
        return [message for message in sorted(found, key=lambda each: each.id) if message.created_at > limit]

    async def _again(self, message: int, channel: int, members: "_Members") -> None:
        found = await _in_the_end(f"Message {message}", lambda: self.bot.rest.fetch_message(channel, message))
        member = await members.of(found) if found else None
        if found is None or member is None:
            self.store.put_down(message)
        else:
            await self._deal(found, member)

    async def _take(self, message: hikari.Message, member: hikari.Member) -> None:
        if int(message.id) in self._heard:
            return
        self._heard.add(int(message.id))
        if self.store.take_in_hand(int(message.id), int(message.channel_id)):
            await self._deal(message, member)

    def _is_ours(self, channel: int) -> bool:
        settings = self.projects.settings
        if settings.project_of(channel) or self.store.conversation(channel):
            return True
        thread = self.bot.cache.get_thread(channel)
        return thread is not None and settings.project_of(int(thread.parent_id)) is not None

    def _conversation_of(self, message: int, channel: int) -> int:
        """Say where a message belongs: into the thread that is opened on it, or where it was written."""
        project = self.projects.settings.project_of(channel)
        opens = project is not None and project.at(Choices()).style != "channel"
        return message if opens else channel

    async def _deal(self, message: hikari.Message, member: hikari.Member) -> None:
        """Have a message heard after those before it."""
        async with _held(self._lines, self._conversation_of(int(message.id), int(message.channel_id))):
            await _in_the_end(f"Message {message.id}", lambda: self.hear(message, member))
            self.store.put_down(int(message.id))


@asynccontextmanager
async def _held(locks: WeakValueDictionary[int, asyncio.Lock], place: int) -> AsyncIterator[None]:
    """Be the only one at a place, in the order of coming; nothing is kept of places where nobody is."""
    lock = locks.setdefault(place, asyncio.Lock())
    async with lock:
        yield


def _is_written(message: hikari.Message) -> bool:
    author = message.author
    return message.type in WRITTEN and not (author.is_bot or author.is_system or message.webhook_id is not None)


async def _in_the_end(what: str, attempt: Callable[[], Awaitable[Found]]) -> Found | None:
    """Do something however long Discord is in trouble; None where it says no, or where nobody waits any more."""
    began, pause = time.monotonic(), PAUSE
    while True:
        try:
            return await attempt()
        except hikari.UnauthorizedError:  # the bot is about to end, and the next one does it
            raise
        except hikari.ClientHTTPResponseError as error:
            log.warning("%s can't be answered: %s", what, error)
            return None
        except (hikari.HTTPError, OSError) as error:
            if time.monotonic() - began > TOO_OLD.total_seconds():
                log.warning("%s is given up: %s", what, error)
                return None
            log.warning("%s can't be answered yet, trying again in %g s: %s", what, pause, error)
            await asyncio.sleep(pause)
            pause = min(pause * 2, LONGEST_PAUSE)


@dataclass(slots=True)
class _Members:
    """Who wrote a message that was read: their roles have to be asked for."""

    bot: hikari.GatewayBot
    guild: int
    _known: dict[int, hikari.Member | None] = field(default_factory=dict)

    async def of(self, message: hikari.Message) -> hikari.Member | None:
        """Give the author as a member; None for a notice, a bot, a webhook, or somebody who has left."""
        author = message.author
        if not _is_written(message):
            return None
        if int(author.id) not in self._known:
            self._known[int(author.id)] = await _in_the_end(
                f"Message {message.id}", lambda: self.bot.rest.fetch_member(self.guild, author.id)
            )
        return self._known[int(author.id)]
