"""/stop: interrupt Claude; when used again, end its process."""

import lightbulb

from bot.conversations.conversations import Conversations
from bot.discord.commands.access import GUILD, NO_CONVERSATION

loader = lightbulb.Loader()


@loader.command
class StopCommand(
    lightbulb.SlashCommand,
    name="stop",
    description="Interrupt Claude and hold queued messages; use it again to end the process. The session is kept",
    contexts=GUILD,
):
    @lightbulb.invoke
    async def invoke(self, context: lightbulb.Context, conversations: Conversations) -> None:
        await context.defer()
        conversation = await conversations.find(int(context.channel_id))
        who = context.member.display_name if context.member else context.user.username
        at = context.interaction.created_at.timestamp()
        await context.respond(await conversation.stop(who, at) if conversation else NO_CONVERSATION)
