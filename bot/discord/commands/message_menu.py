"""The command in a message's menu: «Ask Claude about this»."""

import lightbulb

from bot.discord.commands.access import GUILD
from bot.discord.interactions.question_form import form
from bot.discord.outgoing.components import modal_rows

loader = lightbulb.Loader()


@loader.command
class AskAboutCommand(lightbulb.MessageCommand, name="Ask Claude about this", contexts=GUILD):
    @lightbulb.invoke
    async def invoke(self, context: lightbulb.Context) -> None:
        asked = form(int(self.target.id))
        await context.respond_with_modal(asked.title, asked.custom_id, components=modal_rows(asked))
