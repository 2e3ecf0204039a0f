"""/new: start a new conversation."""

import lightbulb

from bot.conversations.conversations import Conversations
from bot.discord.commands.access import GUILD
from bot.discord.commands.command_prompt import prompt_from
from bot.discord.project_lookup import ThreadRecords
from bot.discord.threads import Threads

loader = lightbulb.Loader()


@loader.command
class NewCommand(
    lightbulb.SlashCommand, name="new", description="Start a new conversation with Claude", contexts=GUILD
):
    prompt = lightbulb.string("prompt", "What Claude should do", default=None)

    @lightbulb.invoke
    async def invoke(
        self, context: lightbulb.Context, conversations: Conversations, threads: Threads, records: ThreadRecords
    ) -> None:
        channel = int(context.channel_id)
        await context.defer(ephemeral=records.conversation(channel) is None)
        conversation = await conversations.find(channel)
        if conversation is not None:
            await conversation.switch_session()
            await context.respond("Started a new session. Claude no longer remembers what was said here.")
        else:
            conversation = await threads.conversation_at(channel, self.prompt or "New conversation")
            here = conversation.id == channel
            await context.respond("Started a new session here." if here else f"<#{conversation.id}>")
        if self.prompt:
            await threads.post_prompt(conversation, prompt_from(context, conversation, self.prompt))
