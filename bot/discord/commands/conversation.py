"""The commands for a conversation as a whole: /new, /stop, /status."""

import lightbulb

from bot.conversations.conversations import Conversations
from bot.discord.commands.access import GUILD, NO_CONVERSATION
from bot.discord.commands.autocomplete import told
from bot.discord.project_lookup import ThreadRecords
from bot.discord.threads import Threads
from bot.render.replies.status import status

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
            await conversation.renew()
            await context.respond("A new session: Claude has forgotten what was said here.")
        else:
            conversation = await threads.conversation_at(channel, self.prompt or "New conversation")
            here = conversation.id == channel
            await context.respond("A new session starts here." if here else f"<#{conversation.id}>")
        if self.prompt:
            await threads.post_prompt(conversation, told(context, conversation, self.prompt))


@loader.command
class StopCommand(
    lightbulb.SlashCommand,
    name="stop",
    description="Interrupt Claude and hold queued messages; use again to end its process. The session is kept",
    contexts=GUILD,
):
    @lightbulb.invoke
    async def invoke(self, context: lightbulb.Context, conversations: Conversations) -> None:
        await context.defer()
        conversation = await conversations.find(int(context.channel_id))
        who = context.member.display_name if context.member else context.user.username
        at = context.interaction.created_at.timestamp()
        await context.respond(await conversation.stop(who, at) if conversation else NO_CONVERSATION)


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
        await context.respond(status(conversation.status()) if conversation else NO_CONVERSATION, ephemeral=True)
