"""What people wrote while nobody listened: found again when the bot is back, and taken as if it had been there."""

import asyncio
import logging
from collections.abc import AsyncIterator, Awaitable, Callable
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import Protocol

import hikari

from bot.conversations.conversations import Conversations

TOO_OLD = timedelta(hours=6)
"""Nobody waits for the answer to an older message any more; whoever does writes again."""
MOST = 200
"""Messages of one channel that are read again."""
TRIES = 8
PAUSE = 1.0
LONGEST_PAUSE = 60.0

log = logging.getLogger(__name__)

Talked = hikari.GuildTextChannel | hikari.GuildNewsChannel | hikari.GuildThreadChannel
Hear = Callable[[hikari.Message, hikari.Member], Awaitable[None]]


class Seen(Protocol):
    """How far each channel has been read, and which messages are not dealt with yet."""

    def take_in_hand(self, message: int, channel: int) -> bool: ...
    def put_down(self, message: int) -> None: ...
    def in_hand(self) -> list[tuple[int, int]]: ...
    def seen(self, channel: int) -> int | None: ...
    def see(self, channel: int, message: int) -> None: ...


@dataclass(frozen=True, slots=True)
class Missed:
    """Brings every message of a person to `hear`, once: heard at the gateway, or read afterwards."""

    bot: hikari.GatewayBot
    conversations: Conversations
    store: Seen
    hear: Hear
    ready: asyncio.Event
    _left: set[int] = field(default_factory=set)
    """Taken in hand by a bot that died."""
    _heard: set[int] = field(default_factory=set)
    """Taken in hand by this one: what is read afterwards may have been heard as well."""

    def subscribe(self) -> None:
        self._left.update(message for message, _ in self.store.in_hand())
        self.bot.subscribe(hikari.GuildMessageCreateEvent, self.on_message)
        # Comes for each guild at the start, and again where Discord has forgotten the session.
        self.bot.subscribe(hikari.GuildAvailableEvent, self.on_guild)

    async def on_message(self, event: hikari.GuildMessageCreateEvent) -> None:
        if event.is_human and event.member is not None:
            await self._take(event.message, event.member)

    async def on_guild(self, event: hikari.GuildAvailableEvent) -> None:
        channels = {int(id_): int(id_) for id_ in event.channels}
        parents = {int(id_): int(thread.parent_id) for id_, thread in event.threads.items()}
        newest = {
            int(id_): int(channel.last_message_id or id_)
            for id_, channel in {**event.channels, **event.threads}.items()
            if isinstance(channel, Talked)
        }
        # Before anything else is awaited: what is heard from now on counts as seen, and would hide what was missed.
        seen = {place: self._known_from(place, parent) for place, parent in {**channels, **parents}.items()}
        await self.ready.wait()
        members = _Members(self.bot, int(event.guild_id))
        for message, channel in self.store.in_hand():
            if message in self._left and channel in newest:
                self._left.discard(message)
                await self._again(message, channel, members)
        for place, parent in {**channels, **parents}.items():
            if place in newest and self.conversations.settings.project_of(parent) is not None:
                await self._read(place, seen[place], newest[place], members)

    def _known_from(self, place: int, parent: int) -> int | None:
        """Say up to where a place has been read; None where we have only now begun to listen."""
        seen = self.store.seen(place)
        if seen is None and place != parent and self.store.seen(parent) is not None:
            return place  # a thread of which we have heard nothing, in a channel that we were listening to
        return seen

    async def _read(self, place: int, known_from: int | None, newest: int, members: "_Members") -> None:
        if known_from is not None and newest > known_from:
            async for message in self._since(place, known_from):
                member = await members.of(message)
                if member is not None:
                    await self._take(message, member)
        self.store.see(place, newest)

    async def _since(self, channel: int, after: int) -> AsyncIterator[hikari.Message]:
        try:
            found = await self.bot.rest.fetch_messages(channel, after=after).limit(MOST)
        except (hikari.ForbiddenError, hikari.NotFoundError):
            return
        limit = datetime.now(UTC) - TOO_OLD
        for message in sorted(found, key=lambda each: each.id):
            if message.created_at > limit:
                yield message

    async def _again(self, message: int, channel: int, members: "_Members") -> None:
        try:
            found = await self.bot.rest.fetch_message(channel, message)
        except (hikari.ForbiddenError, hikari.NotFoundError):
            self.store.put_down(message)
            return
        member = await members.of(found)
        if member is None:
            self.store.put_down(message)
        else:
            await self._deal(found, member)

    async def _take(self, message: hikari.Message, member: hikari.Member) -> None:
        if int(message.id) in self._heard or not self._is_ours(int(message.channel_id)):
            return
        self._heard.add(int(message.id))
        if self.store.take_in_hand(int(message.id), int(message.channel_id)):
            await self._deal(message, member)

    def _is_ours(self, channel: int) -> bool:
        settings, store = self.conversations.settings, self.conversations.store
        if settings.project_of(channel) or store.conversation(channel):
            return True
        thread = self.bot.cache.get_thread(channel)
        return thread is not None and settings.project_of(int(thread.parent_id)) is not None

    async def _deal(self, message: hikari.Message, member: hikari.Member) -> None:
        """Have a message heard; while Discord is in trouble, again and again."""
        await self.ready.wait()
        for attempt in range(TRIES):
            try:
                await self.hear(message, member)
                break
            except hikari.ClientHTTPResponseError as error:
                log.warning("Message %s can't be answered: %s", message.id, error)
                break
            except (hikari.HTTPError, OSError) as error:
                pause = min(PAUSE * 2**attempt, LONGEST_PAUSE)
                log.warning("Message %s can't be answered yet, trying again in %g s: %s", message.id, pause, error)
                await asyncio.sleep(pause)
        self.store.put_down(int(message.id))


@dataclass(slots=True)
class _Members:
    """Who wrote a message that was read: their roles have to be asked for."""

    bot: hikari.GatewayBot
    guild: int
    _known: dict[int, hikari.Member | None] = field(default_factory=dict)

    async def of(self, message: hikari.Message) -> hikari.Member | None:
        """Give the author as a member; None for a bot, a webhook, or somebody who has left."""
        author = message.author
        if author.is_bot or author.is_system or message.webhook_id is not None:
            return None
        if int(author.id) not in self._known:
            try:
                self._known[int(author.id)] = await self.bot.rest.fetch_member(self.guild, author.id)
            except (hikari.NotFoundError, hikari.ForbiddenError):
                self._known[int(author.id)] = None
        return self._known[int(author.id)]
