"""/model: choose the model for a thread."""

import lightbulb

from bot.conversation_status import Capability
from bot.conversations.conversations import Conversations
from bot.discord.commands.access import GUILD, NO_CONVERSATION
from bot.discord.commands.autocomplete import capabilities, conversation_for_suggestions, suggestions
from bot.discord.commands.command_store import AuditLogWriter
from bot.discord.commands.thread_choices import DEFAULT, PROJECT_SETTING, choices_of
from bot.discord.project_lookup import ProjectLookup, ThreadRecords

INJECTED = lightbulb.di.INJECTED
loader = lightbulb.Loader()
ALIASES = ("opus", "sonnet", "haiku", "opusplan")


async def _suggest_models(
    context: lightbulb.AutocompleteContext[str],
    conversations: Conversations = INJECTED,
    lookup: ProjectLookup = INJECTED,
) -> None:
    conversation = await conversation_for_suggestions(context.interaction, conversations, lookup)
    known = (await capabilities(conversation)).models if conversation else ()
    models = [Capability(DEFAULT, PROJECT_SETTING), *(model for model in known if model.name != DEFAULT)]
    models += [Capability(alias) for alias in ALIASES if all(model.name != alias for model in models)]
    await context.respond(suggestions(models, str(context.focused.value)))


@loader.command
class ModelCommand(
    lightbulb.SlashCommand, name="model", description="Choose the model for this thread", contexts=GUILD
):
    name = lightbulb.string(
        "name", "Name of the model, or `default` for the project's setting", autocomplete=_suggest_models
    )

    @lightbulb.invoke
    async def invoke(
        self,
        context: lightbulb.Context,
        conversations: Conversations,
        threads: ThreadRecords,
        audit_log: AuditLogWriter,
    ) -> None:
        await context.defer()
        conversation = await conversations.find(int(context.channel_id))
        if conversation is None:
            await context.respond(NO_CONVERSATION)
            return
        name = self.name.strip()
        wanted = None if name in {"", DEFAULT} else name
        await context.respond(await choices_of(context, conversation, threads, audit_log).model(wanted))
