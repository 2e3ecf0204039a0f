"""The buttons, menus and forms of cards, brought to the desk; the response is the card as it is then."""

import logging
from dataclasses import dataclass

import hikari

from bot.conversations.conversations import Conversations
from bot.decisions.card_answers import Answering, Done, Original, Pressed, Redraw, Show, Update, Whisper
from bot.discord.interactions.received_interaction import ReceivedInteraction
from bot.discord.outgoing.click_answer import answering_click
from bot.discord.outgoing.components import payload
from bot.discord.outgoing.masked_json import unmasked

log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class CardButtons:
    conversations: Conversations
    answering: Answering

    async def answer(self, interaction: ReceivedInteraction) -> None:
        pressed = Pressed(
            interaction.custom_id, interaction.person, interaction.channel, interaction.values, interaction.fields
        )
        match await self.answering.press(pressed):
            case Update() as update:
                await self._update(interaction, update)
            case Show(modal):
                await interaction.open_form(modal)
            case Whisper(sentence):
                await interaction.tell(sentence)
            case Original(message):
                with unmasked():
                    await interaction.tell(**payload(message))
            case Redraw(message):
                await interaction.update(**payload(message))
            case Done():
                await interaction.acknowledge()

    async def _update(self, interaction: ReceivedInteraction, update: Update) -> None:
        """Answer with the new card: the person sees it at once, and no edit is needed."""
        store = self.conversations.store
        message = interaction.raw.message
        view = store.view_of_ticket(update.ticket.id)
        if message is None or view is None:
            await interaction.acknowledge()
            return
        answering = answering_click(store, view, update.ticket.conversation, int(message.id), update.card)
        try:
            with answering:
                await interaction.update(**payload(update.card))
        except hikari.HikariError as error:
            log.warning("The answer to a click did not get through (%s); the card is edited instead.", error)
            await self.conversations.find(update.ticket.conversation)
            self.conversations.desk.changed(update.ticket)
