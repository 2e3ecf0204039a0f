"""What people write in Discord, brought to the conversations."""

import asyncio
import logging
import re
import time
from dataclasses import dataclass, field, replace
from datetime import timedelta

import hikari

from bot.answering import Answering, Person, Whisper
from bot.config import Project
from bot.conversation import Conversation
from bot.conversations import Conversations
from bot.discord.channel import REMOVED
from bot.discord.people import person, project_at
from bot.records import ConversationRecord, Prompt
from bot.tickets import Ticket

THREAD_NAME = 80
ARCHIVE_AFTER = timedelta(days=7)  # the longest that Discord offers
CARD = re.compile(r"card-(.+)")

NO_THREADS = (
    "I can't open a thread here. Please give me «Create Public Threads» and «Send Messages in Threads» in this channel."
)
WHICH = "Several requests are open: please reply to the card that you mean, or press its button."

log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Words:
    """Listens to messages; they wait until the conversations are there."""

    bot: hikari.GatewayBot
    conversations: Conversations
    answering: Answering
    ready: asyncio.Event = field(default_factory=asyncio.Event)

    def subscribe(self) -> None:
        self.bot.subscribe(hikari.GuildMessageCreateEvent, self.on_message)
        self.bot.subscribe(hikari.GuildMessageDeleteEvent, self.on_message_deleted)
        self.bot.subscribe(hikari.GuildThreadDeleteEvent, self.on_thread_deleted)

    async def on_message(self, event: hikari.GuildMessageCreateEvent) -> None:
        await self.ready.wait()
        if not event.is_human or not (event.message.content or "").strip():
            return
        project = await project_at(int(event.channel_id), self.conversations, self.bot)
        who = person(event.author, event.member)
        if project is None or not who.among(project.talk):
            return
        try:
            conversation = await self._conversation(event.message, project)
        except hikari.ForbiddenError:
            log.warning("No thread could be opened in channel %s: a permission is missing.", event.channel_id)
            await event.message.respond(NO_THREADS)
            return
        if not await self._answers(conversation, event.message, who):
            conversation.say(_prompt(event.message, conversation.record.id))

    async def on_message_deleted(self, event: hikari.GuildMessageDeleteEvent) -> None:
        """A deleted prompt is not run; a deleted card comes back while it is open; a deleted text stays deleted."""
        await self.ready.wait()
        store = self.conversations.store
        conversation = await self.conversations.find(int(event.channel_id))
        if conversation is None:
            return
        conversation.unsay(int(event.message_id))
        standing = store.standing_message(int(event.message_id))
        if standing is None:
            return
        card = CARD.fullmatch(standing.key)
        ticket = store.ticket(card[1]) if card else None
        if ticket is None:
            store.stand(replace(standing, message=REMOVED))
        else:
            store.stand(replace(standing, message=-standing.message))
            conversation.ticket_changed(ticket)

    async def on_thread_deleted(self, event: hikari.GuildThreadDeleteEvent) -> None:
        await self.ready.wait()
        await self.conversations.forget(int(event.thread_id))

    async def open_thread(self, channel: int, project: Project, title: str, message: int | None = None) -> Conversation:
        """Open a thread, on a message or by itself, and begin a conversation in it."""
        name = thread_name(title)
        if message is None:
            thread = await self.bot.rest.create_thread(
                channel, hikari.ChannelType.GUILD_PUBLIC_THREAD, name, auto_archive_duration=ARCHIVE_AFTER
            )
        else:
            thread = await self.bot.rest.create_message_thread(
                channel, message, name, auto_archive_duration=ARCHIVE_AFTER
            )
        return await self.conversations.start(ConversationRecord(int(thread.id), project.name, name, time.time()))

    async def begin_in(self, thread: int, project: Project, title: str) -> Conversation:
        """Begin a conversation in a thread that somebody opened by hand."""
        return await self.conversations.start(ConversationRecord(thread, project.name, thread_name(title), time.time()))

    async def _conversation(self, message: hikari.Message, project: Project) -> Conversation:
        channel = int(message.channel_id)
        if channel in project.channels:
            return await self.open_thread(channel, project, message.content or "", int(message.id))
        known = await self.conversations.find(channel)
        if known is not None:
            return known
        return await self.begin_in(channel, project, message.content or "")

    async def _answers(self, conversation: Conversation, message: hikari.Message, who: Person) -> bool:
        """Take the text as an answer to what is open; False when it is a prompt like any other."""
        text = message.content or ""
        replied = message.message_reference.id if message.message_reference else None
        waiting = conversation.waiting
        meant = [t for t in waiting if replied is not None and self._is_card(t, int(replied))] or waiting
        if len(meant) > 1:
            replies = [self.answering.would_answer(ticket, who, text) for ticket in meant]
            if any(replies):
                await message.respond(WHICH)
            return any(replies)
        reply = self.answering.text(meant[0], who, text) if meant else None
        if isinstance(reply, Whisper):
            await message.respond(reply.sentence)
        return reply is not None

    def _is_card(self, ticket: Ticket, message: int) -> bool:
        standing = self.conversations.store.standing_message(message)
        return standing is not None and standing.key == f"card-{ticket.id}"


def thread_name(text: str) -> str:
    """Name a thread after the first words of its prompt."""
    line = next((line.strip("#*_`> ") for line in text.splitlines() if line.strip("#*_`> ")), "Conversation")
    return line if len(line) <= THREAD_NAME else line[: THREAD_NAME - 1].rsplit(" ", 1)[0] + "…"


def _prompt(message: hikari.Message, conversation: int) -> Prompt:
    return Prompt(
        id=int(message.id),
        conversation=conversation,
        author=int(message.author.id),
        text=(message.content or "").strip(),
        at=message.timestamp.timestamp(),
    )
