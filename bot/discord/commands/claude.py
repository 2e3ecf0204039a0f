"""/claude: run one of Claude's own slash commands or skills."""

import lightbulb

from bot.conversations.conversations import Conversations
from bot.discord.commands.access import GUILD
from bot.discord.commands.autocomplete import capabilities, conversation_for_suggestions, suggestions
from bot.discord.commands.command_prompt import prompt_from
from bot.discord.project_lookup import ProjectLookup
from bot.discord.threads import Threads

INJECTED = lightbulb.di.INJECTED
loader = lightbulb.Loader()


async def _suggest_commands(
    context: lightbulb.AutocompleteContext[str],
    conversations: Conversations = INJECTED,
    lookup: ProjectLookup = INJECTED,
) -> None:
    conversation = await conversation_for_suggestions(context.interaction, conversations, lookup)
    known = (await capabilities(conversation)).commands if conversation else ()
    await context.respond(suggestions(known, str(context.focused.value)))


@loader.command
class ClaudeCommand(
    lightbulb.SlashCommand,
    name="claude",
    description="Run one of Claude's own slash commands or skills",
    contexts=GUILD,
):
    command = lightbulb.string(
        "command", "Name of the command or skill, without the slash", autocomplete=_suggest_commands
    )
    arguments = lightbulb.string("arguments", "Arguments for the command", default="")

    @lightbulb.invoke
    async def invoke(self, context: lightbulb.Context, threads: Threads) -> None:
        await context.defer(ephemeral=True)
        text = f"/{self.command.strip().removeprefix('/')} {self.arguments}".strip()
        conversation = await threads.conversation_at(int(context.channel_id), text)
        await threads.post_prompt(conversation, prompt_from(context, conversation, text))
        await context.respond(
            "Sent to Claude." if conversation.id == int(context.channel_id) else f"<#{conversation.id}>"
        )
