"""The command in a message's menu: «Ask Claude about this»."""

import lightbulb

from bot.discord.commands.access import GUILD
from bot.discord.outgoing.components import modal_rows
from bot.messages import Modal, TextInput
from bot.queue_actions import About, custom_id

loader = lightbulb.Loader()

QUESTION = "question"


@loader.command
class AskAbout(lightbulb.MessageCommand, name="Ask Claude about this", contexts=GUILD):
    @lightbulb.invoke
    async def invoke(self, context: lightbulb.Context) -> None:
        form = Modal(
            custom_id(About(int(self.target.id))),
            "Ask Claude about this",
            (TextInput(QUESTION, "What should Claude do?", placeholder="Explain it. Fix it. Is it true?"),),
        )
        await context.respond_with_modal(form.title, form.custom_id, components=modal_rows(form))
