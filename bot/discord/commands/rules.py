"""/rules: list and remove the rules of a project."""

import lightbulb

from bot.decisions.rulebook import rules_of_mode
from bot.discord.commands.access import GUILD
from bot.discord.commands.command_store import DecisionRecords
from bot.discord.commands.reply import reply
from bot.discord.people import person
from bot.discord.project_lookup import ProjectLookup
from bot.refusals import NO_PROJECT
from bot.render.replies.rules import rules_reply

loader = lightbulb.Loader()


@loader.command
class RulesCommand(
    lightbulb.SlashCommand,
    name="rules",
    description="List what Claude may do here without asking, and remove rules",
    contexts=GUILD,
):
    @lightbulb.invoke
    async def invoke(self, context: lightbulb.Context, records: DecisionRecords, lookup: ProjectLookup) -> None:
        project = await lookup.project_at(int(context.channel_id))
        if project is None:
            await context.respond(NO_PROJECT, ephemeral=True)
            return
        channel = int(context.channel_id)
        rules = [*records.rules(project.name), *rules_of_mode(project, channel)]
        may_remove = person(context.user, context.member).among(project.decide)
        message = rules_reply(rules, channel, may_remove=may_remove, configured=project.allowed_tools or ())
        await reply(context, message)
