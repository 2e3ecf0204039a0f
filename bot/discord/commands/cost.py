"""/cost: show what a conversation and its project have cost."""

import time

import lightbulb

from bot.conversations.conversations import Conversations
from bot.discord.commands.access import GUILD, NO_CONVERSATION
from bot.discord.commands.command_store import CostRecords
from bot.render.replies.cost import cost_reply

loader = lightbulb.Loader()
DAY = 24 * 3600.0


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
        await context.respond(cost_reply(here, spans, project), ephemeral=True)
