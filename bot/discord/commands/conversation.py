"""The commands for a conversation as a whole: /new, /stop, /status."""

import time

import hikari
import lightbulb

from bot.config import Project
from bot.conversations.conversation import Conversation
from bot.conversations.conversations import Conversations
from bot.discord.commands.frame import ELSEWHERE, GUILD, NO_CONVERSATION, Refused
from bot.discord.people import project_at
from bot.discord.words import Words
from bot.records import Prompt
from bot.render.status import status

loader = lightbulb.Loader()


@loader.command
class New(lightbulb.SlashCommand, name="new", description="Start a new conversation with Claude", contexts=GUILD):
    prompt = lightbulb.string("prompt", "What Claude should do", default=None)

    @lightbulb.invoke
    async def invoke(
        self, context: lightbulb.Context, conversations: Conversations, words: Words, bot: hikari.GatewayBot
    ) -> None:
        await context.defer(ephemeral=True)
        conversation = await conversations.find(int(context.channel_id))
        if conversation is not None:
            await conversation.renew()
            await context.respond("A new session: Claude has forgotten what was said here.")
        else:
            project = await project_at(int(context.channel_id), conversations, bot)
            conversation = await self._open(context, words, project)
            await context.respond(f"<#{conversation.record.id}>")
        if self.prompt:
            conversation.say(
                Prompt(
                    int(context.interaction.id), conversation.record.id, int(context.user.id), self.prompt, time.time()
                )
            )

    async def _open(self, context: lightbulb.Context, words: Words, project: Project | None) -> Conversation:
        if project is None:
            raise Refused(ELSEWHERE)
        channel = int(context.channel_id)
        if channel in project.channels:
            return await words.open_thread(channel, project, self.prompt or f"{project.name}: new conversation")
        return await words.begin_in(channel, project, self.prompt or project.name)


@loader.command
class Stop(
    lightbulb.SlashCommand,
    name="stop",
    description="Interrupt Claude at once; a second time ends its process. The session is kept",
    contexts=GUILD,
):
    @lightbulb.invoke
    async def invoke(self, context: lightbulb.Context, conversations: Conversations) -> None:
        await context.defer()
        conversation = await conversations.find(int(context.channel_id))
        who = context.member.display_name if context.member else context.user.username
        await context.respond(await conversation.stop(who) if conversation else NO_CONVERSATION)


@loader.command
class Status(
    lightbulb.SlashCommand,
    name="status",
    description="What runs here, since when, and what it waits for",
    contexts=GUILD,
):
    @lightbulb.invoke
    async def invoke(self, context: lightbulb.Context, conversations: Conversations) -> None:
        conversation = await conversations.find(int(context.channel_id))
        await context.respond(status(conversation.report()) if conversation else NO_CONVERSATION, ephemeral=True)
