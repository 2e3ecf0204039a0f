"""The commands that only look: /context, /cost, /help."""

import time

import lightbulb

from bot.conversations.conversations import Conversations
from bot.discord.commands.access import GUILD, NO_CONVERSATION
from bot.discord.commands.stores import CostRecords
from bot.errors import ClaudeError
from bot.render.replies.context import context as shown_context
from bot.render.replies.context import spending
from bot.render.replies.help import HELP

loader = lightbulb.Loader()

DAY = 24 * 3600.0


@loader.command
class ContextCommand(
    lightbulb.SlashCommand,
    name="context",
    description="Show how full Claude's context is, and what fills it",
    contexts=GUILD,
):
    @lightbulb.invoke
    async def invoke(self, context: lightbulb.Context, conversations: Conversations) -> None:
        await context.defer(ephemeral=True)
        conversation = await conversations.find(int(context.channel_id))
        if conversation is None:
            await context.respond(NO_CONVERSATION)
            return
        try:
            usage = await conversation.control("get_context_usage", start=True)
        except ClaudeError:  # an older CLI does not know this, or none could be started
            usage = {}
        await context.respond(shown_context(usage))


@loader.command
class CostCommand(
    lightbulb.SlashCommand,
    name="cost",
    description="Show what this conversation and the project have cost",
    contexts=GUILD,
):
    @lightbulb.invoke
    async def invoke(self, context: lightbulb.Context, conversations: Conversations, costs: CostRecords) -> None:
        conversation = await conversations.find(int(context.channel_id))
        if conversation is None:
            await context.respond(NO_CONVERSATION, ephemeral=True)
            return
        project, now = conversation.status().project.name, time.time()
        spans = {
            "last 24 hours": costs.spent(project, now - DAY),
            "last 7 days": costs.spent(project, now - 7 * DAY),
            "last 30 days": costs.spent(project, now - 30 * DAY),
        }
        here = costs.spent(project, conversation=conversation.id)
        await context.respond(spending(here, spans, project), ephemeral=True)


@loader.command
class HelpCommand(lightbulb.SlashCommand, name="help", description="Show what you can do here", contexts=GUILD):
    @lightbulb.invoke
    async def invoke(self, context: lightbulb.Context) -> None:
        await context.respond(HELP, ephemeral=True)
