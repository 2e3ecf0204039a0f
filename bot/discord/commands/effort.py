"""/effort: choose how hard Claude thinks in a thread."""

import lightbulb

from bot.config import Effort
from bot.conversations.conversations import Conversations
from bot.discord.commands.access import GUILD, NO_CONVERSATION
from bot.discord.commands.command_store import AuditLogWriter
from bot.discord.commands.thread_choices import DEFAULT, PROJECT_SETTING, choices_of
from bot.discord.project_lookup import ThreadRecords

loader = lightbulb.Loader()
EFFORTS: tuple[Effort, ...] = ("low", "medium", "high", "xhigh", "max")


@loader.command
class EffortCommand(
    lightbulb.SlashCommand, name="effort", description="Choose how hard Claude thinks in this thread", contexts=GUILD
):
    level = lightbulb.string(
        "level",
        "How hard Claude should think",
        choices=[
            lightbulb.Choice(PROJECT_SETTING, DEFAULT),
            *(lightbulb.Choice(str(each), str(each)) for each in EFFORTS),
        ],
    )

    @lightbulb.invoke
    async def invoke(
        self,
        context: lightbulb.Context,
        conversations: Conversations,
        threads: ThreadRecords,
        audit_log: AuditLogWriter,
    ) -> None:
        conversation = await conversations.find(int(context.channel_id))
        level = next((each for each in EFFORTS if each == self.level), None)
        if conversation is None:
            await context.respond(NO_CONVERSATION)
            return
        await context.respond(await choices_of(context, conversation, threads, audit_log).effort(level))
