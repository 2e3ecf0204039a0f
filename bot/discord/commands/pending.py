"""/pending: list the open permission requests."""

import lightbulb

from bot.discord.commands.access import GUILD
from bot.discord.commands.command_store import DecisionRecords
from bot.discord.commands.reply import reply
from bot.discord.people import person
from bot.permission_requests.ticket import Ticket
from bot.projects.projects import Projects
from bot.render.replies.pending import pending_reply

loader = lightbulb.Loader()


@loader.command
class PendingCommand(
    lightbulb.SlashCommand,
    name="pending",
    description="List the permission requests that are waiting for an answer, in every project",
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
        await reply(context, pending_reply(waiting, int(context.guild_id or 0)))
