"""What all commands have in common: who may use them, and where."""

import hikari
import lightbulb

from bot.discord.people import person
from bot.discord.project_lookup import ProjectLookup
from bot.errors import BotError, NotDone
from bot.projects.projects import Projects
from bot.refusals import MAY_NOT_TALK, NO_PROJECT

GUILD = (hikari.ApplicationContextType.GUILD,)
FORBIDDEN = "Discord won't let me do this: I'm missing a permission here. `claude-discord doctor` says which one."
NO_CONVERSATION = "There is no conversation here yet. Write a message, or use `/new`."


ANYWHERE = frozenset({"project", "sessions", "kill", "settings"})
"""What the owners may use in every channel."""
DECIDING = frozenset({"pending", "rules", "audit"})
"""What is for those who may decide, too."""


class Refused(BotError):  # noqa: N818 - what happened, as in the rest of the tree
    """This person, or this place, is not for us; they have been told."""


@lightbulb.hook(lightbulb.ExecutionSteps.CHECKS)
async def only_allowed(
    _: lightbulb.ExecutionPipeline, context: lightbulb.Context, lookup: ProjectLookup, projects: Projects
) -> None:
    """Answer only those who are named, and only where a project is."""
    project = await lookup.project_at(int(context.channel_id))
    who = person(context.user, context.member)
    if project is not None and who.among(project.talk):
        return
    if project is not None and context.interaction.command_name in DECIDING and who.among(project.decide):
        return
    if context.interaction.command_name in ANYWHERE and who.among(projects.settings.owners):
        return
    refusal = NO_PROJECT if project is None else MAY_NOT_TALK
    await context.respond(refusal, ephemeral=True)
    raise Refused(refusal)


async def already_told(error: lightbulb.exceptions.ExecutionPipelineFailedException) -> bool:
    """Stop at a refusal that was answered; what could not be done is told as it stands."""
    for cause in error.causes:
        if isinstance(cause, NotDone):
            await error.context.respond(str(cause), ephemeral=True)
            return True
        if isinstance(cause, hikari.ForbiddenError):
            await error.context.respond(f"{FORBIDDEN} ({cause.message})", ephemeral=True)
            return True
    return any(isinstance(cause, Refused) for cause in error.causes)
