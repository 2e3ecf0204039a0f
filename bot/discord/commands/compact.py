"""/compact: have Claude summarize the conversation."""

import lightbulb

from bot.conversations.conversations import Conversations
from bot.discord.commands.access import GUILD, NO_CONVERSATION
from bot.discord.commands.command_prompt import prompt_from

loader = lightbulb.Loader()


@loader.command
class CompactCommand(
    lightbulb.SlashCommand,
    name="compact",
    description="Summarize the conversation to free up context",
    contexts=GUILD,
):
    keep = lightbulb.string("keep", "What the summary should keep", default="")

    @lightbulb.invoke
    async def invoke(self, context: lightbulb.Context, conversations: Conversations) -> None:
        conversation = await conversations.find(int(context.channel_id))
        if conversation is None or conversation.status().session is None:
            await context.respond(NO_CONVERSATION, ephemeral=True)
            return
        conversation.say(prompt_from(context, conversation, f"/compact {self.keep}".strip()))
        await context.respond("Claude will summarize the conversation.")
