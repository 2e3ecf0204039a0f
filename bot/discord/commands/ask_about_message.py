"""*Ask Claude about this*: the command in a message's menu, and the form that it opens."""

import re
import time
from collections.abc import Iterator
from dataclasses import dataclass

import hikari
import lightbulb

from bot.conversations.conversation import Conversation
from bot.discord.commands.access import GUILD
from bot.discord.interactions.received_interaction import UNKNOWN_BUTTON, ReceivedInteraction
from bot.discord.outgoing.components import modal_rows
from bot.discord.project_lookup import ProjectLookup
from bot.discord.threads import NO_THREADS, Threads
from bot.errors import NotDone
from bot.messages import Modal, TextInput
from bot.records import Prompt
from bot.refusals import MAY_NOT_TALK, NO_PROJECT

PREFIX = "wish:about"

loader = lightbulb.Loader()


def question_form(message: int) -> Modal:
    """Return the form that asks what Claude should do about a message."""
    question = TextInput("question", "What should Claude do?", placeholder="Explain it. Fix it. Is it true?")
    return Modal(f"{PREFIX}:{message}", "Ask Claude about this", (question,))


@loader.command
class AskAboutCommand(lightbulb.MessageCommand, name="Ask Claude about this", contexts=GUILD):
    @lightbulb.invoke
    async def invoke(self, context: lightbulb.Context) -> None:
        modal = question_form(int(self.target.id))
        await context.respond_with_modal(modal.title, modal.custom_id, components=modal_rows(modal))


@dataclass(frozen=True, slots=True)
class AskAboutForm:
    """Posts the question in the message's thread, or in a new thread on the message."""

    bot: hikari.GatewayBot
    lookup: ProjectLookup
    threads: Threads

    async def answer(self, interaction: ReceivedInteraction) -> None:
        found = re.fullmatch(PREFIX + r":(\d{1,20})", interaction.custom_id)
        if found is None:
            raise NotDone(UNKNOWN_BUTTON)
        await interaction.defer()
        try:
            message = await self.bot.rest.fetch_message(interaction.channel, int(found[1]))
            conversation = await self._ask(message, interaction)
        except hikari.NotFoundError:
            raise NotDone("That message was deleted.") from None
        except hikari.ForbiddenError:
            raise NotDone(NO_THREADS) from None
        await interaction.tell(f"<#{conversation.id}>")

    async def _ask(self, message: hikari.Message, interaction: ReceivedInteraction) -> Conversation:
        """Ask Claude about a message, in its thread or in a new thread on it."""
        project = await self.lookup.project_at(int(message.channel_id))
        if project is None:
            raise NotDone(NO_PROJECT)
        if not interaction.person.among(project.talk):
            raise NotDone(MAY_NOT_TALK)
        question = "\n".join(interaction.fields.values())
        conversation = await self.threads.conversation_of(message, project, question)
        number, thread = int(interaction.raw.id), conversation.id
        fetched = await self.threads.fetch_files(message, thread, number)
        lines = [*fetched.text.splitlines(), *(line for embed in message.embeds for line in _embed_lines(embed))]
        quoted = "\n".join(f"> {line}" for line in lines)
        text = f"{question}\n\nThis is about a message by {message.author.username}:\n{quoted}"
        prompt = Prompt(number, thread, interaction.person.id, text, time.time(), fetched.files)
        await self.threads.post_prompt(conversation, prompt, question)
        return conversation


def _embed_lines(embed: hikari.Embed) -> Iterator[str]:
    """Yield the lines of an embed: other bots post about builds and issues in embeds."""
    fields = (text for each in embed.fields for text in (each.name, each.value))
    for text in (embed.title, embed.url, embed.description, *fields):
        yield from (text or "").splitlines()
