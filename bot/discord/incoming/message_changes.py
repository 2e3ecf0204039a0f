"""Handles edited and deleted messages, archived and deleted threads, and typing."""

import asyncio
import logging
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from typing import Protocol

import hikari

from bot.conversations.conversation import Conversation
from bot.conversations.conversations import Conversations
from bot.conversations.prompt_content import LONG_PROMPT
from bot.conversations.warm_up import may_warm_up
from bot.decisions.desk import Desk
from bot.discord.incoming.attachment_download import attachments, fetch
from bot.discord.people import person
from bot.message_names import CARD, HELD_NOTE
from bot.permission_requests.ticket import Ticket
from bot.projects.projects import Projects
from bot.sent_message import SentMessage

log = logging.getLogger(__name__)


class SentCards(Protocol):
    """Finds the record and the card of a message in Discord."""

    def sent_as(self, message: int) -> SentMessage | None: ...
    def save_sent(self, sent: SentMessage) -> None: ...
    def ticket(self, ticket: str) -> Ticket | None: ...


@dataclass(frozen=True, slots=True)
class MessageChanges:
    bot: hikari.GatewayBot
    projects: Projects
    conversations: Conversations
    desk: Desk
    store: SentCards
    ready: asyncio.Event
    """Set when the conversations are open; everything before that waits."""
    archived: Callable[[int], Awaitable[None]]
    """Called when a thread was archived and its run has ended."""
    _archived_by_bot: set[int] = field(default_factory=set)
    """Threads that the bot has just archived again itself, which is not a stop."""

    def subscribe(self) -> None:
        self.bot.subscribe(hikari.GuildMessageUpdateEvent, self.on_message_edited)
        self.bot.subscribe(hikari.GuildMessageDeleteEvent, self.on_message_deleted)
        self.bot.subscribe(hikari.GuildBulkMessageDeleteEvent, self.on_messages_deleted)
        self.bot.subscribe(hikari.GuildThreadDeleteEvent, self.on_thread_deleted)
        self.bot.subscribe(hikari.GuildThreadUpdateEvent, self.on_thread_changed)
        self.bot.subscribe(hikari.GuildTypingEvent, self.on_typing)

    async def on_message_edited(self, event: hikari.GuildMessageUpdateEvent) -> None:
        """Change an edited prompt; if Claude has already read it, offer to send it again."""
        await self.ready.wait()
        text = event.message.content
        if not text or event.author is hikari.UNDEFINED or event.author is None or event.author.is_bot:
            return  # Discord also sends this when it adds a link preview
        conversation = await self._of_message(int(event.channel_id), int(event.message_id))
        if conversation is None:
            return
        member = event.member or await self.bot.rest.fetch_member(event.guild_id, event.author.id)
        # The author may have lost the right to talk since.
        if person(event.author, member).among(conversation.status().project.talk):
            conversation.edit(int(event.message_id), await self._new_text(event.message, text.strip(), conversation))

    async def _new_text(self, message: hikari.PartialMessage, text: str, conversation: Conversation) -> str:
        """Return the prompt of an edited message, including a long text that was attached as a file."""
        if not any(each.filename == LONG_PROMPT for each in message.attachments or ()):
            return text
        whole = await self.bot.rest.fetch_message(message.channel_id, message.id)
        state = self.projects.settings.state
        return (await fetch(whole, attachments(state, conversation.id, int(message.id)))).text

    async def on_message_deleted(self, event: hikari.GuildMessageDeleteEvent) -> None:
        """Cancel a deleted prompt; post a deleted card again if it waits for a click."""
        await self._deleted(int(event.channel_id), int(event.message_id))

    async def on_messages_deleted(self, event: hikari.GuildBulkMessageDeleteEvent) -> None:
        """Do the same for each message of a bulk delete."""
        for message in sorted(event.message_ids):
            await self._deleted(int(event.channel_id), int(message))

    async def _deleted(self, channel: int, message: int) -> None:
        await self.ready.wait()
        conversation = await self._of_message(channel, message)
        if conversation is None:
            return
        if (sent := self.store.sent_as(message)) is not None:
            ticket_id = CARD.parse(sent.key)
            ticket = self.store.ticket(ticket_id) if ticket_id else None
            held = sent.view == HELD_NOTE.of(conversation.id)
            self.store.save_sent(sent.was_deleted(comes_back=held or ticket is not None))
            if ticket is not None:
                self.desk.redraw(ticket.id)
        conversation.cancel(message)

    async def on_thread_deleted(self, event: hikari.GuildThreadDeleteEvent) -> None:
        await self.ready.wait()
        await self.conversations.forget(int(event.thread_id))

    async def on_thread_changed(self, event: hikari.GuildThreadUpdateEvent) -> None:
        """End the run of an archived thread; a message in it resumes the conversation."""
        await self.ready.wait()
        if not event.thread.is_archived:
            return
        if int(event.thread_id) in self._archived_by_bot:
            self._archived_by_bot.discard(int(event.thread_id))
            return
        conversation = self.conversations.known(int(event.thread_id))
        since = event.thread.archive_timestamp.timestamp()
        ended = conversation is not None and await conversation.suspend("the thread was archived", since, since=since)
        if conversation is not None and ended and not conversation.status().due:  # nobody has written there since
            await self._archive_again(int(event.thread_id))
        await self.archived(int(event.thread_id))

    async def _archive_again(self, thread: int) -> None:
        """Archive a thread again that was only reopened to show how its turn ended."""
        try:
            channel = await self.bot.rest.fetch_channel(thread)
            if isinstance(channel, hikari.GuildThreadChannel) and not channel.is_archived:
                self._archived_by_bot.add(thread)
                await self.bot.rest.edit_channel(thread, archived=True)
        except hikari.HikariError as error:
            self._archived_by_bot.discard(thread)
            log.info("Thread %s can't be archived again: %s", thread, error)

    async def on_typing(self, event: hikari.GuildTypingEvent) -> None:
        """Start Claude when someone who may talk to it starts typing."""
        await self.ready.wait()
        project = self.projects.in_thread(int(event.channel_id))
        if project is None or event.member.is_bot or not person(event.member, event.member).among(project.talk):
            return
        if not may_warm_up(conversation.status() for conversation in self.conversations.awake()):
            return
        if conversation := await self.conversations.find(int(event.channel_id)):
            conversation.warm()

    async def _of_message(self, channel: int, message: int) -> Conversation | None:
        """Return the conversation of a message; if a thread was opened on it, the message is in the parent channel."""
        return await self.conversations.find(channel) or await self.conversations.find(message)
