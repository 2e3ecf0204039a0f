"""/mode: choose the permission mode of a thread."""

import lightbulb

from bot.config import PermissionMode
from bot.conversations.conversations import Conversations
from bot.conversations.model_and_mode import MODES
from bot.discord.commands.access import GUILD, NO_CONVERSATION
from bot.discord.commands.command_store import AuditLogWriter
from bot.discord.commands.thread_choices import choices_of
from bot.discord.people import person
from bot.discord.project_lookup import ThreadRecords
from bot.refusals import MAY_NOT_DECIDE

loader = lightbulb.Loader()


@loader.command
class ModeCommand(
    lightbulb.SlashCommand, name="mode", description="Choose what Claude asks about in this thread", contexts=GUILD
):
    mode = lightbulb.string(
        "mode",
        "What Claude may do without asking",
        choices=[lightbulb.Choice(f"{m}: {about}", m) for m, about in MODES.items()],
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
        if conversation is None:
            await context.respond(NO_CONVERSATION, ephemeral=True)
            return
        if not person(context.user, context.member).among(conversation.status().project.decide):
            await context.respond(MAY_NOT_DECIDE, ephemeral=True)
            return
        await context.defer()
        mode: PermissionMode = next((each for each in MODES if each == self.mode), "default")
        await context.respond(await choices_of(context, conversation, threads, audit_log).mode(mode))
