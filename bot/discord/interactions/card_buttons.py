"""Responds to the buttons, menus and forms of permission cards, usually with the updated card."""

import logging
from dataclasses import dataclass
from typing import Protocol

import hikari

from bot.conversations.conversations import Conversations
from bot.decisions.card_answers import (
    CardAnswers,
    CardPress,
    CardUpdate,
    OpenForm,
    Original,
    PrivateReply,
)
from bot.decisions.desk import Desk
from bot.discord.interactions.received_interaction import ReceivedInteraction
from bot.discord.outgoing.click_answer import UnclearOrder, answering_click
from bot.discord.outgoing.components import payload
from bot.discord.outgoing.masked_json import without_masking
from bot.discord.outgoing.message_sender import SentMessages
from bot.permission_requests.ticket import Ticket

log = logging.getLogger(__name__)


class CardStore(SentMessages, Protocol):
    """Finds the messages of cards in Discord."""

    def view_of_ticket(self, ticket: str) -> str | None: ...


@dataclass(frozen=True, slots=True)
class CardButtons:
    card_answers: CardAnswers
    conversations: Conversations
    desk: Desk
    store: CardStore

    async def answer(self, interaction: ReceivedInteraction) -> None:
        match await self.card_answers.press(_press(interaction)):
            case CardUpdate() as update:
                await self._update(interaction, update)
            case OpenForm(modal):
                await interaction.open_form(modal)
            case PrivateReply(sentence):
                await interaction.tell(sentence)
            case Original(message):
                with without_masking():
                    await interaction.tell(**payload(message))

    async def allow_all(self, interaction: ReceivedInteraction) -> None:
        await self.card_answers.allow_all(_press(interaction))
        await interaction.acknowledge()

    async def remove_rule(self, interaction: ReceivedInteraction) -> None:
        await interaction.update(**payload(self.card_answers.remove_rule(_press(interaction))))

    async def _update(self, interaction: ReceivedInteraction, update: CardUpdate) -> None:
        """Respond with the new card: the person sees it immediately, and no edit is needed."""
        message = interaction.raw.message
        view = self.store.view_of_ticket(update.ticket.id)
        if message is None or view is None:
            await interaction.acknowledge()
            return
        noted = answering_click(self.store, view, update.ticket.conversation, int(message.id), update.card)
        try:
            with noted:
                await interaction.update(**payload(update.card))
        except UnclearOrder:
            await self._redraw(update.ticket)
        except hikari.HikariError as error:
            log.warning("The response to a click failed (%s); the card is edited instead.", error)
            await self._redraw(update.ticket)

    async def _redraw(self, ticket: Ticket) -> None:
        await self.conversations.find(ticket.conversation)
        self.desk.redraw(ticket.id)


def _press(interaction: ReceivedInteraction) -> CardPress:
    return CardPress(
        interaction.custom_id, interaction.person, interaction.channel, interaction.values, interaction.fields
    )
