"""Handles a message from the inbox as an answer to a card or as a prompt for Claude."""

import logging
from dataclasses import dataclass
from typing import Protocol

import hikari

from bot.config import Person
from bot.conversations.conversation import Conversation
from bot.conversations.conversations import Conversations
from bot.decisions.card_answers import CardAnswers, PrivateReply
from bot.discord.incoming.attachment_download import MessageContent
from bot.discord.incoming.voice import Transcriber, is_voice
from bot.discord.people import person
from bot.discord.project_lookup import ProjectLookup
from bot.discord.threads import NO_THREADS, Threads
from bot.errors import NotDone
from bot.message_names import CARD, REMINDER
from bot.permission_requests.ticket import Ticket
from bot.permission_requests.tool_input import AskQuestions
from bot.records import Prompt
from bot.sent_message import SentMessage
from bot.text.escape import escape_markdown, one_line
from bot.text.truncate import truncate

TRANSCRIPT_LENGTH = 1500
"""Characters of a transcribed voice message that are shown."""
AMBIGUOUS = "Several requests are open. Please reply to the card that you mean, or press its button."

log = logging.getLogger(__name__)


class CardMessages(Protocol):
    """Finds the message of a card and the card of a message."""

    def message_of_card(self, ticket: str) -> int: ...
    def sent_as(self, message: int) -> SentMessage | None: ...
    def ticket(self, ticket: str) -> Ticket | None: ...


@dataclass(frozen=True, slots=True)
class IncomingMessages:
    """Receives each message of a person once, in order, from the inbox."""

    bot: hikari.GatewayBot
    lookup: ProjectLookup
    conversations: Conversations
    threads: Threads
    card_answers: CardAnswers
    cards: CardMessages
    transcriber: Transcriber

    async def take(self, message: hikari.Message, member: hikari.Member) -> None:
        """Handle a person's message."""
        if not (message.content or "").strip() and not message.attachments:
            return
        project = await self.lookup.project_at(int(message.channel_id))
        who = person(message.author, member)
        if project is None:
            return
        if not who.among(project.talk):
            if who.among(project.decide) and (known := await self.conversations.find(int(message.channel_id))):
                await self._answer_card(known, message, who)
            return
        transcript = ""
        if is_voice(message) and not (transcript := await self._transcribe(message)):
            return
        try:
            conversation = await self.threads.conversation_of(message, project, transcript)
        except hikari.ForbiddenError:
            log.warning("No thread could be opened in channel %s: a permission is missing.", message.channel_id)
            await message.respond(NO_THREADS)
            return
        if transcript:  # never an answer to a card: the transcript may be wrong
            await self.bot.rest.create_message(
                conversation.id, f"-# 🎙️ {escape_markdown(truncate(one_line(transcript), TRANSCRIPT_LENGTH))}"
            )
            conversation.say(_prompt(message, conversation.id, MessageContent(transcript)))
        elif not await self._answer_card(conversation, message, who):
            await self._say(conversation, message)
            self.card_answers.note_other_message(conversation.status().waiting)

    async def _transcribe(self, message: hikari.Message) -> str:
        """Transcribe a voice message; if that fails, say so and return an empty text."""
        try:
            return await self.transcriber.transcribe(message)
        except NotDone as error:
            await message.respond(str(error))
            return ""

    async def _say(self, conversation: Conversation, message: hikari.Message) -> None:
        fetched = await self.threads.fetch_files(message, conversation.id, int(message.id))
        if fetched.text or fetched.files:
            conversation.say(_prompt(message, conversation.id, fetched))

    async def _answer_card(self, conversation: Conversation, message: hikari.Message, who: Person) -> bool:
        """Apply the text as an answer to an open request; return False if it is an ordinary prompt."""
        text = message.content or ""
        meant = [ticket for ticket in conversation.status().waiting if self._was_there(ticket, int(message.id))]
        if message.message_reference and (replied := message.message_reference.id):
            about = self._ticket_of_message(int(replied))  # if that one is settled, it does not answer another
            meant = [about] if about else [t for t in meant if isinstance(t.request.action, AskQuestions)]
        if len(meant) > 1:
            replies = [self.card_answers.would_answer(ticket, who, text) for ticket in meant]
            if any(replies):
                await message.respond(AMBIGUOUS)
            return any(replies)
        reply = await self.card_answers.text(meant[0], who, text) if meant else None
        if isinstance(reply, PrivateReply):
            await message.respond(reply.sentence)
        return reply is not None

    def _was_there(self, ticket: Ticket, message: int) -> bool:
        """Check whether the card was there when this was written: nobody answers a card they have not seen."""
        return 0 < self.cards.message_of_card(ticket.id) < message

    def _ticket_of_message(self, message: int) -> Ticket | None:
        """Return the ticket of a card or a reminder."""
        if (sent := self.cards.sent_as(message)) is None:
            return None
        ticket_id = CARD.parse(sent.key) or REMINDER.parse(sent.view)
        return self.cards.ticket(ticket_id) if ticket_id else None


def _prompt(message: hikari.Message, conversation: int, fetched: MessageContent) -> Prompt:
    return Prompt(
        id=int(message.id),
        conversation=conversation,
        author=int(message.author.id),
        text=fetched.text,
        at=message.timestamp.timestamp(),
        files=fetched.files,
    )
