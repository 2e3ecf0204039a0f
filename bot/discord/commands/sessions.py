"""/sessions: list what is running in every project."""

import time

import lightbulb

from bot.conversations.conversations import Conversations
from bot.conversations.project_overview import ProjectCounts, overview
from bot.discord.commands.access import GUILD
from bot.discord.people import person
from bot.projects.projects import Projects
from bot.render.replies.panel import sessions

loader = lightbulb.Loader()


@loader.command
class SessionsCommand(
    lightbulb.SlashCommand,
    name="sessions",
    description="Show every project: what is running, what is waiting for you, and today's cost",
    contexts=GUILD,
):
    @lightbulb.invoke
    async def invoke(
        self, context: lightbulb.Context, projects: Projects, conversations: Conversations, counts: ProjectCounts
    ) -> None:
        who = person(context.user, context.member)
        everything = overview(projects, conversations, counts, time.time())
        owner = who.among(projects.settings.owners)
        rows = [row for row in everything if owner or who.among(row.talk)]
        await context.respond(sessions(rows), ephemeral=True)
