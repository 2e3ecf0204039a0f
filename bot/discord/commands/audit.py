"""/audit: show the latest decisions of a project."""

import lightbulb

from bot.discord.commands.access import GUILD
from bot.discord.commands.command_store import DecisionRecords
from bot.discord.commands.reply import reply
from bot.discord.project_lookup import ProjectLookup
from bot.refusals import NO_PROJECT
from bot.render.replies.audit import audit_reply

loader = lightbulb.Loader()
MAX_ENTRIES = 20


@loader.command
class AuditCommand(
    lightbulb.SlashCommand,
    name="audit",
    description="Show the latest decisions in this project and who made them",
    contexts=GUILD,
):
    count = lightbulb.integer("count", "How many entries to show", default=10, min_value=1, max_value=MAX_ENTRIES)

    @lightbulb.invoke
    async def invoke(self, context: lightbulb.Context, records: DecisionRecords, lookup: ProjectLookup) -> None:
        project = await lookup.project_at(int(context.channel_id))
        if project is None:
            await context.respond(NO_PROJECT, ephemeral=True)
            return
        await reply(context, audit_reply(records.audit(project.name, self.count), records.check_audit()))
