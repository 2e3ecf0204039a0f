"""Finds the conversation of a channel or thread, or opens a thread for a new one."""

import re
import time
from dataclasses import dataclass, replace
from datetime import timedelta
from pathlib import Path

import hikari

from bot.config import Project
from bot.conversations.conversation import Conversation
from bot.conversations.conversations import Conversations
from bot.discord.incoming.attachment_download import MessageContent, attachments, fetch, summary
from bot.discord.project_lookup import ProjectLookup
from bot.errors import NotDone
from bot.masking import mask
from bot.messages import MESSAGE_LIMIT
from bot.records import ConversationRecord, Prompt
from bot.refusals import NO_PROJECT
from bot.text.truncate import truncate

THREAD_NAME = 80
MAX_SEARCHED = 8000
"""Number of characters of a prompt that are searched for the thread's name."""
ARCHIVE_AFTER = timedelta(days=7)  # the longest that Discord offers
THREAD_EXISTS = 160004

NO_THREADS = (
    "I can't open a thread here. Give me *Create Public Threads* and *Send Messages in Threads* in this channel."
)

_MARKUP = re.compile(r"<(?:@[!&]?|#)\d+>|<a?:\w+:\d+>|\*\*|`+")
"""Mentions, emoji and Markdown, which Discord shows as plain characters in a thread's name."""


@dataclass(frozen=True, slots=True)
class Threads:
    """Finds and starts conversations for messages, commands, forms, the panel and the command line."""

    bot: hikari.GatewayBot
    lookup: ProjectLookup
    conversations: Conversations
    state: Path
    """The state folder, where attachments are kept."""

    async def conversation_of(self, message: hikari.Message, project: Project, title: str = "") -> Conversation:
        """Find the conversation of a message or start one, in a new thread on the message if the style says so."""
        channel = int(message.channel_id)
        in_thread = channel not in project.channels or project.style == "channel"
        known = await self.conversations.find(channel if in_thread else int(message.id))
        if known is not None:
            return known
        if not in_thread:
            return await self.open_thread(channel, project, title or _title(message), int(message.id))
        return await self.start_in(channel, project, title or _title(message))

    async def conversation_at(self, channel: int, title: str) -> Conversation:
        """Find the conversation of a channel or thread or start one, in a new thread if the style says so."""
        known = await self.conversations.find(channel)
        if known is not None:
            return known
        project = await self.lookup.project_at(channel)
        if project is None:
            raise NotDone(NO_PROJECT)
        if channel in project.channels and project.style != "channel":
            return await self.open_thread(channel, project, title)
        return await self.start_in(channel, project, title)

    async def open_thread(
        self,
        channel: int,
        project: Project,
        title: str,
        message: int | None = None,
        like: ConversationRecord | None = None,
    ) -> Conversation:
        """Open a thread, on a message if one is given, and start a conversation in it, new or a copy of `like`."""
        name = thread_name(title)
        if message is None:
            thread: hikari.PartialChannel = await self.bot.rest.create_thread(
                channel, hikari.ChannelType.GUILD_PUBLIC_THREAD, name, auto_archive_duration=ARCHIVE_AFTER
            )
        else:
            thread = await self._thread_on(channel, message, name)
        record = ConversationRecord(int(thread.id), project.name, name, time.time(), parent=channel)
        if like is not None:
            record = replace(record, own=like.own, forks=like.session)
        return await self.conversations.start(record)

    async def _thread_on(self, channel: int, message: int, name: str) -> hikari.PartialChannel:
        try:
            return await self.bot.rest.create_message_thread(
                channel, message, name, auto_archive_duration=ARCHIVE_AFTER
            )
        except hikari.BadRequestError as error:
            if error.code != THREAD_EXISTS:  # the bot crashed right after creating it, or hikari repeated the request
                raise
            return await self.bot.rest.fetch_channel(message)  # a thread has its message's id

    async def start_in(self, thread: int, project: Project, title: str) -> Conversation:
        """Start a conversation in a thread that someone opened, or in a channel whose style is without threads."""
        parent = None if thread in project.channels else await self.lookup.parent_of(thread)
        name = project.name if parent is None else thread_name(title)
        return await self.conversations.start(
            ConversationRecord(thread, project.name, name, time.time(), parent=parent)
        )

    async def post_prompt(self, conversation: Conversation, prompt: Prompt, shown: str = "") -> None:
        """Post a prompt that was written elsewhere in the conversation's thread, then send it to Claude."""
        quoted = "\n".join(f"> {line}" for line in mask(shown or prompt.text).splitlines())
        text = truncate(f"-# <@{prompt.author}>:\n{quoted}", MESSAGE_LIMIT)
        await self.bot.rest.create_message(conversation.id, text)
        conversation.say(prompt)

    async def fetch_files(self, message: hikari.Message, thread: int, number: int) -> MessageContent:
        """Download a message's files for a thread, and post in the thread which files were left out."""
        fetched = await fetch(message, attachments(self.state, thread, number))
        if fetched.complaints:
            await self.bot.rest.create_message(thread, summary(fetched.complaints))
        return fetched


def thread_name(text: str) -> str:
    """Name a thread after the first words of its prompt, without mentions and Markdown."""
    masked = mask(text[:MAX_SEARCHED])  # before truncating: half a secret is not recognized
    lines = (" ".join(_MARKUP.sub("", line).strip("#*_> ").split()) for line in masked.splitlines())
    line = next(filter(None, lines), "Conversation")
    return line if len(line) <= THREAD_NAME else line[: THREAD_NAME - 1].rsplit(" ", 1)[0] + "…"


def _title(message: hikari.Message) -> str:
    return message.content or next((attachment.filename for attachment in message.attachments), "")
