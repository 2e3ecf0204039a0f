"""What people write in Discord, brought to the conversations."""

import asyncio
import logging
import re
import time
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from datetime import timedelta
from pathlib import Path

import hikari

from bot.config import Project
from bot.conversations.conversation import Conversation
from bot.conversations.conversations import Conversations
from bot.decisions import reminders
from bot.decisions.card_answers import Answering, Person, Whisper
from bot.discord.incoming.attachments import Fetched, attachments, fetch, summary
from bot.discord.incoming.voice import is_voice, transcribed
from bot.discord.people import parent_of, person, project_at
from bot.errors import NotDone
from bot.masking import mask
from bot.messages import MESSAGE_LIMIT
from bot.permission_requests.ticket import Ticket
from bot.permission_requests.tool_input import AskQuestions, read
from bot.records import ConversationRecord, Prompt
from bot.text.escape import escape_markdown, one_line
from bot.text.truncate import truncate

THREAD_NAME = 80
MOST_READ = 8000
"""Characters of a prompt in which its thread's name is looked for."""
HEARD = 1500
"""Characters of a voice message that are shown as they were heard."""
ARCHIVE_AFTER = timedelta(days=7)  # the longest that Discord offers
HAS_A_THREAD = 160004

NO_THREADS = (
    "I can't open a thread here. Please give me «Create Public Threads» and «Send Messages in Threads» in this channel."
)
WHICH = "Several requests are open: please reply to the card that you mean, or press its button."

_DRAWN = re.compile(r"<(?:@[!&]?|#)\d+>|<a?:\w+:\d+>|\*\*|`+")
"""Mentions, emoji and marks: in a thread's name they would stand as they are written."""

log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Words:
    """Listens to messages; they wait until the conversations are there."""

    bot: hikari.GatewayBot
    conversations: Conversations
    answering: Answering
    environment: Mapping[str, str] = field(default_factory=dict, repr=False)
    """What a transcriber is given: the user's environment without anything that is the bot's own."""
    ready: asyncio.Event = field(default_factory=asyncio.Event)

    async def hear(self, message: hikari.Message, member: hikari.Member) -> None:
        """Take what a person wrote: an answer to a card, or a prompt."""
        if not (message.content or "").strip() and not message.attachments:
            return
        project = await project_at(int(message.channel_id), self.conversations, self.bot)
        who = person(message.author, member)
        if project is None:
            return
        if not who.among(project.talk):
            if who.among(project.decide) and (known := await self.conversations.find(int(message.channel_id))):
                await self._answers(known, message, who)
            return
        said = ""
        if is_voice(message) and not (said := await self._listen(message)):
            return
        try:
            conversation = await self._conversation(message, project, said)
        except hikari.ForbiddenError:
            log.warning("No thread could be opened in channel %s: a permission is missing.", message.channel_id)
            await message.respond(NO_THREADS)
            return
        if said:  # never an answer to a card: what was heard may not be what was said
            await self.bot.rest.create_message(
                conversation.record.id, f"-# 🎙️ {escape_markdown(truncate(one_line(said), HEARD))}"
            )
            conversation.say(_prompt(message, conversation.record.id, Fetched(said)))
        elif not await self._answers(conversation, message, who):
            await self._say(conversation, message)
            self.answering.overheard(conversation.waiting)

    async def _listen(self, message: hikari.Message) -> str:
        """Give what is said in a voice message; empty if nobody listens to those, which is then said."""
        command = self.conversations.settings.transcriber
        if command:
            await self.bot.rest.trigger_typing(message.channel_id)
        try:
            return await transcribed(message, command, self.environment)
        except NotDone as error:
            await message.respond(str(error))
            return ""

    async def ask_about(self, message: hikari.Message, question: str, by: Person, number: int) -> Conversation:
        """Ask Claude about what somebody wrote: in its thread, or in one that is opened on it."""
        channel = int(message.channel_id)
        project = await project_at(channel, self.conversations, self.bot)
        if project is None or not by.among(project.talk):
            raise NotDone("You can't ask Claude about this: it is not a place of yours.")
        conversation = await self._conversation(message, project, question)
        fetched = await fetch(message, self._folder(conversation, number))
        lines = [*fetched.text.splitlines(), *(line for embed in message.embeds for line in _embedded(embed))]
        quoted = "\n".join(f"> {line}" for line in lines)
        text = f"{question}\n\nThis is about a message by {message.author.username}:\n{quoted}"
        await self._complain(conversation, fetched)
        prompt = Prompt(number, conversation.record.id, by.id, text, time.time(), fetched.files)
        await self.tell(conversation, prompt, question)
        return conversation

    async def tell(self, conversation: Conversation, prompt: Prompt, words: str = "") -> None:
        """Bring a prompt that nobody wrote in the thread; it is shown first, for the thread has the whole story."""
        quoted = "\n".join(f"> {line}" for line in mask(words or prompt.text).splitlines())
        shown = truncate(f"-# <@{prompt.author}>:\n{quoted}", MESSAGE_LIMIT)
        await self.bot.rest.create_message(conversation.record.id, shown)
        conversation.say(prompt)

    async def _say(self, conversation: Conversation, message: hikari.Message) -> None:
        fetched = await fetch(message, self._folder(conversation, int(message.id)))
        await self._complain(conversation, fetched)
        if fetched.text or fetched.files:
            conversation.say(_prompt(message, conversation.record.id, fetched))

    async def _complain(self, conversation: Conversation, fetched: Fetched) -> None:
        """Say which files could not be taken."""
        if fetched.complaints:
            await self.bot.rest.create_message(conversation.record.id, summary(fetched.complaints))

    def _folder(self, conversation: Conversation, message: int) -> Path:
        return attachments(self.conversations.settings.state, conversation.record.id, message)

    async def conversation_at(self, channel: int, title: str) -> Conversation:
        """Find the conversation of a place, or begin one: in a thread of its own where that is the style."""
        known = await self.conversations.find(channel)
        if known is not None:
            return known
        project = await project_at(channel, self.conversations, self.bot)
        if project is None:
            raise NotDone("This channel belongs to no project.")
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
        """Open a thread, on a message or by itself, and begin a conversation in it: a new one, or a copy of another."""
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
            if error.code != HAS_A_THREAD:  # by a bot that died right after, or by a request that hikari repeated
                raise
            return await self.bot.rest.fetch_channel(message)  # a thread has its message's id

    async def begin_in(self, thread: int, project: Project, title: str) -> Conversation:
        """Begin a conversation in a thread that somebody opened by hand, or in a channel that has none."""
        parent = None if thread in project.channels else await parent_of(thread, self.bot)
        name = project.name if parent is None else thread_name(title)
        return await self.conversations.start(
            ConversationRecord(thread, project.name, name, time.time(), parent=parent)
        )

    async def _conversation(self, message: hikari.Message, project: Project, title: str = "") -> Conversation:
        channel = int(message.channel_id)
        in_thread = channel not in project.channels or project.style == "channel"
        known = await self.conversations.find(channel if in_thread else int(message.id))
        if known is not None:
            return known
        if not in_thread:
            return await self.open_thread(channel, project, title or _title(message), int(message.id))
        return await self.begin_in(channel, project, title or _title(message))

    async def _answers(self, conversation: Conversation, message: hikari.Message, who: Person) -> bool:
        """Take the text as an answer to what is open; False when it is a prompt like any other."""
        text = message.content or ""
        meant = [ticket for ticket in conversation.waiting if self._was_there(ticket, int(message.id))]
        if message.message_reference and (replied := message.message_reference.id):
            about = self._ticket_below(int(replied))  # settled meanwhile, it is no answer to another that is open
            meant = [about] if about else [t for t in meant if isinstance(read(t.request), AskQuestions)]
        if len(meant) > 1:
            replies = [self.answering.would_answer(ticket, who, text) for ticket in meant]
            if any(replies):
                await message.respond(WHICH)
            return any(replies)
        reply = await self.answering.text(meant[0], who, text) if meant else None
        if isinstance(reply, Whisper):
            await message.respond(reply.sentence)
        return reply is not None

    def _was_there(self, ticket: Ticket, message: int) -> bool:
        """Whether the card stood there when this was written: nobody answers what they have not seen."""
        return 0 < self.conversations.store.message_of_card(ticket.id) < message

    def _ticket_below(self, message: int) -> Ticket | None:
        """Find the ticket whose card, or whose reminder, a message is."""
        store = self.conversations.store
        standing = store.standing_message(message)
        if standing is None:
            return None
        for name, prefix in ((standing.key, "card-"), (standing.view, reminders.view(""))):
            if name.startswith(prefix):
                return store.ticket(name.removeprefix(prefix))
        return None


def thread_name(text: str) -> str:
    """Name a thread after the first words of its prompt; Discord draws neither mentions nor marks in a name."""
    masked = mask(text[:MOST_READ])  # before it is cut: half a secret is not known as one
    lines = (" ".join(_DRAWN.sub("", line).strip("#*_> ").split()) for line in masked.splitlines())
    line = next(filter(None, lines), "Conversation")
    return line if len(line) <= THREAD_NAME else line[: THREAD_NAME - 1].rsplit(" ", 1)[0] + "…"


def _embedded(embed: hikari.Embed) -> Iterator[str]:
    """Give what an embed says: other bots tell of builds and issues in nothing else."""
    fields = (text for each in embed.fields for text in (each.name, each.value))
    for text in (embed.title, embed.url, embed.description, *fields):
        yield from (text or "").splitlines()


def _title(message: hikari.Message) -> str:
    return message.content or next((attachment.filename for attachment in message.attachments), "")


def _prompt(message: hikari.Message, conversation: int, fetched: Fetched) -> Prompt:
    return Prompt(
        id=int(message.id),
        conversation=conversation,
        author=int(message.author.id),
        text=fetched.text,
        at=message.timestamp.timestamp(),
        files=fetched.files,
    )
