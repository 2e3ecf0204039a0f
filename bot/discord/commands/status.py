"""/status: show what Claude is doing in a thread."""

import lightbulb

from bot.conversations.conversations import Conversations
from bot.discord.commands.access import GUILD, NO_CONVERSATION
from bot.render.replies.status import status_reply

loader = lightbulb.Loader()


@loader.command
class StatusCommand(
    lightbulb.SlashCommand,
    name="status",
    description="Show what Claude is doing here, since when, and what it is waiting for",
    contexts=GUILD,
):
    @lightbulb.invoke
    async def invoke(self, context: lightbulb.Context, conversations: Conversations) -> None:
        conversation = await conversations.find(int(context.channel_id))
        await context.respond(status_reply(conversation.status()) if conversation else NO_CONVERSATION, ephemeral=True)
