"""Checks who may use a command and where, and replies when a command fails."""

import hikari
import lightbulb

from bot.discord.people import person
from bot.discord.project_lookup import ProjectLookup
from bot.errors import BotError, NotDone
from bot.projects.projects import Projects
from bot.refusals import MAY_NOT_TALK, NO_PROJECT

GUILD = (hikari.ApplicationContextType.GUILD,)
FORBIDDEN = "I'm missing a Discord permission for this. Run `claude-discord doctor` to see which one."
NO_CONVERSATION = "There is no conversation here yet. Write a message, or use `/new`."

OWNER_COMMANDS = frozenset({"project", "sessions", "kill", "settings"})
"""Commands that the owners may use in every channel."""
DECIDER_COMMANDS = frozenset({"pending", "rules", "audit"})
"""Commands that people who may decide can use even if they may not talk."""


class Refused(BotError):  # noqa: N818 - what happened, as in the rest of the tree
    """The person may not use this command here; the bot has already replied so."""


@lightbulb.hook(lightbulb.ExecutionSteps.CHECKS)
async def check_access(
    _: lightbulb.ExecutionPipeline, context: lightbulb.Context, lookup: ProjectLookup, projects: Projects
) -> None:
    """Refuse the command unless the channel belongs to a project and this person may use it there."""
    project = await lookup.project_at(int(context.channel_id))
    who = person(context.user, context.member)
    if project is not None and who.among(project.talk):
        return
    if project is not None and context.interaction.command_name in DECIDER_COMMANDS and who.among(project.decide):
        return
    if context.interaction.command_name in OWNER_COMMANDS and who.among(projects.settings.owners):
        return
    refusal = NO_PROJECT if project is None else MAY_NOT_TALK
    await context.respond(refusal, ephemeral=True)
    raise Refused(refusal)


async def handle_error(error: lightbulb.exceptions.ExecutionPipelineFailedException) -> bool:
    """Reply with the sentence of an expected error; return False for any other error, which lightbulb then logs."""
    for cause in error.causes:
        if isinstance(cause, NotDone):
            await error.context.respond(str(cause), ephemeral=True)
            return True
        if isinstance(cause, hikari.ForbiddenError):
            await error.context.respond(f"{FORBIDDEN} ({cause.message})", ephemeral=True)
            return True
    return any(isinstance(cause, Refused) for cause in error.causes)
