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
MOST_READ = 8000
"""Characters of a prompt that are searched for the thread's name."""
ARCHIVE_AFTER = timedelta(days=7)  # the longest that Discord offers
HAS_A_THREAD = 160004

NO_THREADS = (
    "I can't open a thread here. Please give me «Create Public Threads» and «Send Messages in Threads» in this channel."
)

_DRAWN = re.compile(r"<(?:@[!&]?|#)\d+>|<a?:\w+:\d+>|\*\*|`+")
"""Mentions, emoji and Markdown, which Discord shows as plain characters in a thread's name."""


@dataclass(frozen=True, slots=True)
class Threads:
    """Used wherever a conversation can start: messages, commands, forms, the panel and the command line."""

    bot: hikari.GatewayBot
    lookup: ProjectLookup
    conversations: Conversations
    state: Path
    """The state folder, where attachments are kept."""

    async def conversation_of(self, message: hikari.Message, project: Project, title: str = "") -> Conversation:
        """Find the conversation of a message, or start one; depending on the style, in a new thread on it."""
        channel = int(message.channel_id)
        in_thread = channel not in project.channels or project.style == "channel"
        known = await self.conversations.find(channel if in_thread else int(message.id))
        if known is not None:
            return known
        if not in_thread:
            return await self.open_thread(channel, project, title or _title(message), int(message.id))
        return await self.begin_in(channel, project, title or _title(message))

    async def conversation_at(self, channel: int, title: str) -> Conversation:
        """Find the conversation of a channel or thread, or start one; depending on the style, in a new thread."""
        known = await self.conversations.find(channel)
        if known is not None:
            return known
        project = await self.lookup.project_at(channel)
        if project is None:
            raise NotDone(NO_PROJECT)
        if channel in project.channels and project.style != "channel":
            return await self.open_thread(channel, project, title)
        return await self.begin_in(channel, project, title)

    async def open_thread(
        self,
        channel: int,
        project: Project,
        title: str,
        message: int | None = None,
        like: ConversationRecord | None = None,
    ) -> Conversation:
        """Open a thread, on a message if one is given, and start a conversation in it, new or a copy of another."""
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
            if error.code != HAS_A_THREAD:  # from a bot that died right after, or a request that hikari repeated
                raise
            return await self.bot.rest.fetch_channel(message)  # a thread has its message's id

    async def begin_in(self, thread: int, project: Project, title: str) -> Conversation:
        """Start a conversation in a thread that somebody opened, or in a channel without threads."""
        parent = None if thread in project.channels else await self.lookup.parent_of(thread)
        name = project.name if parent is None else thread_name(title)
        return await self.conversations.start(
            ConversationRecord(thread, project.name, name, time.time(), parent=parent)
        )

    async def post_prompt(self, conversation: Conversation, prompt: Prompt, shown: str = "") -> None:
        """Post a prompt in the thread that was not written there, then give it to Claude."""
        quoted = "\n".join(f"> {line}" for line in mask(shown or prompt.text).splitlines())
        text = truncate(f"-# <@{prompt.author}>:\n{quoted}", MESSAGE_LIMIT)
        await self.bot.rest.create_message(conversation.id, text)
        conversation.say(prompt)

    async def fetch_files(self, message: hikari.Message, thread: int, number: int) -> MessageContent:
        """Download a message's files for a thread, and post there which of them were left out."""
        fetched = await fetch(message, attachments(self.state, thread, number))
        if fetched.complaints:
            await self.bot.rest.create_message(thread, summary(fetched.complaints))
        return fetched


def thread_name(text: str) -> str:
    """Name a thread after the first words of its prompt, without mentions and Markdown."""
    masked = mask(text[:MOST_READ])  # before truncating: half a secret is not recognized
    lines = (" ".join(_DRAWN.sub("", line).strip("#*_> ").split()) for line in masked.splitlines())
    line = next(filter(None, lines), "Conversation")
    return line if len(line) <= THREAD_NAME else line[: THREAD_NAME - 1].rsplit(" ", 1)[0] + "…"


def _title(message: hikari.Message) -> str:
    return message.content or next((attachment.filename for attachment in message.attachments), "")
