"""/context: show how full Claude's context is."""

import lightbulb

from bot.conversations.conversations import Conversations
from bot.discord.commands.access import GUILD, NO_CONVERSATION
from bot.errors import ClaudeError
from bot.render.replies.context import context_reply

loader = lightbulb.Loader()


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
        except ClaudeError:  # an older CLI does not know this request, or no process could be started
            usage = {}
        await context.respond(context_reply(usage))
