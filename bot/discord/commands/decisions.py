"""The commands around decisions: /pending, /rules, /audit."""

import hikari
import lightbulb

from bot.decisions.rulebook import by_mode
from bot.discord.commands.access import GUILD
from bot.discord.commands.stores import DecisionRecords
from bot.discord.outgoing.components import payload
from bot.discord.people import person
from bot.discord.project_lookup import ProjectLookup
from bot.messages import Message
from bot.permission_requests.ticket import Ticket
from bot.projects.projects import Projects
from bot.refusals import NO_PROJECT
from bot.render.replies import decisions

loader = lightbulb.Loader()
SHOWN = 20


@loader.command
class PendingCommand(
    lightbulb.SlashCommand,
    name="pending",
    description="List what is waiting for an answer, in every project",
    contexts=GUILD,
):
    @lightbulb.invoke
    async def invoke(self, context: lightbulb.Context, records: DecisionRecords, projects: Projects) -> None:
        who = person(context.user, context.member)
        waiting: list[tuple[Ticket, int]] = []
        for ticket in records.every_open_ticket():
            project = projects.in_thread(ticket.conversation)
            if project is not None and (who.among(project.talk) or who.among(project.decide)):
                waiting.append((ticket, records.message_of_card(ticket.id)))
        await _answer(context, decisions.pending(waiting, int(context.guild_id or 0)))


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
        rules = [*records.rules(project.name), *by_mode(project, channel)]
        may_remove = person(context.user, context.member).among(project.decide)
        message = decisions.rules(rules, channel, may_remove=may_remove, configured=project.allowed_tools or ())
        await _answer(context, message)


@loader.command
class AuditCommand(
    lightbulb.SlashCommand,
    name="audit",
    description="Show what was decided in this project, and by whom",
    contexts=GUILD,
):
    count = lightbulb.integer("count", "How many entries to show", default=10, min_value=1, max_value=SHOWN)

    @lightbulb.invoke
    async def invoke(self, context: lightbulb.Context, records: DecisionRecords, lookup: ProjectLookup) -> None:
        project = await lookup.project_at(int(context.channel_id))
        if project is None:
            await context.respond(NO_PROJECT, ephemeral=True)
            return
        await _answer(context, decisions.record(records.audit(project.name, self.count), records.check_audit()))


async def _answer(context: lightbulb.Context, message: Message) -> None:
    arguments = payload(message)
    await context.respond(arguments.pop("content", hikari.UNDEFINED), ephemeral=True, **arguments)
