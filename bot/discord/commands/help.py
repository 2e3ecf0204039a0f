"""/help: show what people can do here."""

import lightbulb

from bot.discord.commands.access import GUILD
from bot.render.replies.help import HELP

loader = lightbulb.Loader()


@loader.command
class HelpCommand(lightbulb.SlashCommand, name="help", description="Show what you can do here", contexts=GUILD):
    @lightbulb.invoke
    async def invoke(self, context: lightbulb.Context) -> None:
        await context.respond(HELP, ephemeral=True)
