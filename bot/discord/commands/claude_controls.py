"""The commands that steer Claude: /model, /effort, /mode, /compact, /claude."""

from contextlib import suppress

import lightbulb

from bot.config import Choices, Effort, PermissionMode
from bot.conversations.conversation import Conversation
from bot.conversations.conversations import Conversations
from bot.conversations.model_and_mode import MODES, ThreadChoices
from bot.discord.commands.access import GUILD, NO_CONVERSATION
from bot.discord.commands.autocomplete import asked_here, offered, told
from bot.discord.commands.stores import AuditLogWriter
from bot.discord.people import person
from bot.discord.project_lookup import ProjectLookup, ThreadRecords
from bot.discord.threads import Threads
from bot.errors import ClaudeError
from bot.refusals import MAY_NOT_DECIDE
from bot.status import Capabilities, Capability

INJECTED = lightbulb.di.INJECTED

loader = lightbulb.Loader()

ANSWER_WITHIN = 1.5
"""Seconds that somebody waits for suggestions while typing; Discord would wait for three."""
DEFAULT = "default"
ALIASES = ("opus", "sonnet", "haiku", "opusplan")
EFFORTS: tuple[Effort, ...] = ("low", "medium", "high", "xhigh", "max")
PROJECTS = "the project's setting"


async def _capabilities(conversation: Conversation) -> Capabilities:
    """Find out what Claude can do here; it is asked once, if it can be asked."""
    if not conversation.status().capabilities.described:
        with suppress(ClaudeError):
            await conversation.control("initialize", within=ANSWER_WITHIN)
    return conversation.status().capabilities


def _choices(
    context: lightbulb.Context, conversation: Conversation, threads: ThreadRecords, audit_log: AuditLogWriter
) -> ThreadChoices:
    record = threads.conversation(conversation.id)
    own, project = record.own if record else Choices(), conversation.status().project
    return ThreadChoices(conversation, own, project, audit_log.record, int(context.user.id))


async def _models(
    context: lightbulb.AutocompleteContext[str],
    conversations: Conversations = INJECTED,
    lookup: ProjectLookup = INJECTED,
) -> None:
    conversation = await asked_here(context.interaction, conversations, lookup)
    known = (await _capabilities(conversation)).models if conversation else ()
    models = [Capability(DEFAULT, PROJECTS), *(model for model in known if model.name != DEFAULT)]
    models += [Capability(alias) for alias in ALIASES if all(model.name != alias for model in models)]
    await context.respond(offered(models, str(context.focused.value)))


async def _commands(
    context: lightbulb.AutocompleteContext[str],
    conversations: Conversations = INJECTED,
    lookup: ProjectLookup = INJECTED,
) -> None:
    conversation = await asked_here(context.interaction, conversations, lookup)
    known = (await _capabilities(conversation)).commands if conversation else ()
    await context.respond(offered(known, str(context.focused.value)))


@loader.command
class ModelCommand(
    lightbulb.SlashCommand, name="model", description="Choose the model for this thread", contexts=GUILD
):
    name = lightbulb.string("name", "Name of the model, or «default» for the project's setting", autocomplete=_models)

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
        await context.respond(await _choices(context, conversation, threads, audit_log).model(wanted))


@loader.command
class EffortCommand(
    lightbulb.SlashCommand, name="effort", description="Choose how hard Claude thinks in this thread", contexts=GUILD
):
    level = lightbulb.string(
        "level",
        "How hard Claude should think",
        choices=[lightbulb.Choice(PROJECTS, DEFAULT), *(lightbulb.Choice(str(each), str(each)) for each in EFFORTS)],
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
        await context.respond(await _choices(context, conversation, threads, audit_log).effort(level))


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
        await context.respond(await _choices(context, conversation, threads, audit_log).mode(mode))


@loader.command
class CompactCommand(
    lightbulb.SlashCommand,
    name="compact",
    description="Summarize the conversation to free up context",
    contexts=GUILD,
):
    keep = lightbulb.string("keep", "What the summary must keep", default="")

    @lightbulb.invoke
    async def invoke(self, context: lightbulb.Context, conversations: Conversations) -> None:
        conversation = await conversations.find(int(context.channel_id))
        if conversation is None or conversation.status().session is None:
            await context.respond(NO_CONVERSATION, ephemeral=True)
            return
        conversation.say(told(context, conversation, f"/compact {self.keep}".strip()))
        await context.respond("Claude will summarize the conversation.")


@loader.command
class ClaudeCommand(
    lightbulb.SlashCommand,
    name="claude",
    description="Run one of Claude's own slash commands or skills",
    contexts=GUILD,
):
    command = lightbulb.string("command", "Name of the command or skill, without the slash", autocomplete=_commands)
    arguments = lightbulb.string("arguments", "Arguments for the command", default="")

    @lightbulb.invoke
    async def invoke(self, context: lightbulb.Context, threads: Threads) -> None:
        await context.defer(ephemeral=True)
        text = f"/{self.command.strip().removeprefix('/')} {self.arguments}".strip()
        conversation = await threads.conversation_at(int(context.channel_id), text)
        await threads.post_prompt(conversation, told(context, conversation, text))
        await context.respond(
            "Sent to Claude." if conversation.id == int(context.channel_id) else f"<#{conversation.id}>"
        )
