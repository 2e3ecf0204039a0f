"""/fork: continue in a new thread with a copy of the conversation."""

import lightbulb

from bot.conversations.conversations import Conversations
from bot.discord.commands.access import GUILD, NO_CONVERSATION
from bot.discord.commands.command_prompt import prompt_from
from bot.discord.project_lookup import ThreadRecords
from bot.discord.threads import Threads

loader = lightbulb.Loader()


@loader.command
class ForkCommand(
    lightbulb.SlashCommand,
    name="fork",
    description="Continue in a new thread with a copy of this conversation; this one does not change",
    contexts=GUILD,
):
    prompt = lightbulb.string("prompt", "What Claude should do there", default=None)

    @lightbulb.invoke
    async def invoke(
        self, context: lightbulb.Context, conversations: Conversations, threads: Threads, records: ThreadRecords
    ) -> None:
        await context.defer()
        conversation = await conversations.find(int(context.channel_id))
        record = records.conversation(int(context.channel_id))
        if conversation is None or record is None or record.session is None:
            await context.respond(NO_CONVERSATION)
            return
        title = self.prompt or f"{record.title} (copy)"
        project = conversation.status().project
        copy = await threads.open_thread(record.parent or record.id, project, title, like=record)
        await context.respond(f"A copy of this conversation continues in <#{copy.id}>.")
        if self.prompt:
            await threads.post_prompt(copy, prompt_from(context, copy, self.prompt))
