"""What people press in Discord, brought to the desk, and the answer that they see."""

import asyncio
import logging
from collections.abc import Iterable
from dataclasses import dataclass, field

import hikari

from bot.conversations.conversations import Conversations
from bot.decisions.card_answers import Answering, Done, Original, Pressed, Redraw, Show, Update, Whisper
from bot.discord.outgoing.components import modal_rows, payload
from bot.discord.outgoing.masked_json import unmasked
from bot.discord.outgoing.thread_channel import digest
from bot.discord.people import person
from bot.records import BEING_ANSWERED, Standing

OTHERS = ("wish:", "worktree:", "panel:", "configuration:")
"""How the names of buttons begin that are no card's: others listen to them."""

log = logging.getLogger(__name__)

Clicked = hikari.ComponentInteraction | hikari.ModalInteraction


@dataclass(frozen=True, slots=True)
class Clicks:
    """Listens to buttons, menus and forms; they wait until the conversations are there."""

    bot: hikari.GatewayBot
    conversations: Conversations
    answering: Answering
    ready: asyncio.Event = field(default_factory=asyncio.Event)

    def subscribe(self) -> None:
        self.bot.subscribe(hikari.InteractionCreateEvent, self.on_interaction)

    async def on_interaction(self, event: hikari.InteractionCreateEvent) -> None:
        interaction = event.interaction
        if isinstance(
            interaction, hikari.ComponentInteraction | hikari.ModalInteraction
        ) and not interaction.custom_id.startswith(OTHERS):
            await self.ready.wait()
            await self._answer(interaction)

    async def _answer(self, interaction: Clicked) -> None:
        match await self.answering.press(_pressed(interaction)):
            case Update() as update:
                await self._update(interaction, update)
            case Show(modal) if isinstance(interaction, hikari.ComponentInteraction):
                await interaction.create_modal_response(modal.title, modal.custom_id, components=modal_rows(modal))
            case Show():
                await _whisper(interaction, "That form was answered already.")
            case Whisper(sentence):
                await _whisper(interaction, sentence)
            case Original(message):
                with unmasked():
                    await interaction.create_initial_response(
                        hikari.ResponseType.MESSAGE_CREATE, flags=hikari.MessageFlag.EPHEMERAL, **payload(message)
                    )
            case Redraw(message):
                await interaction.create_initial_response(hikari.ResponseType.MESSAGE_UPDATE, **payload(message))
            case Done():
                await interaction.create_initial_response(hikari.ResponseType.DEFERRED_MESSAGE_UPDATE)

    async def _update(self, interaction: Clicked, update: Update) -> None:
        """Answer with the new card: the person sees it at once, and no edit is needed."""
        store = self.conversations.store
        message = interaction.message
        view = store.view_of_ticket(update.ticket.id)
        if message is None or view is None:
            await interaction.create_initial_response(hikari.ResponseType.DEFERRED_MESSAGE_UPDATE)
            return
        place = (view, update.card.key, update.ticket.conversation, int(message.id))
        looks = digest(update.card)
        moving = any(known.key == update.card.key and known.moving for known in store.standing(view))
        store.stand(Standing(*place, BEING_ANSWERED + looks))
        try:
            await interaction.create_initial_response(hikari.ResponseType.MESSAGE_UPDATE, **payload(update.card))
            if not moving:  # else nobody knows what came last, and the channel makes sure
                store.got_through(Standing(*place, BEING_ANSWERED + looks))
        except hikari.HikariError as error:
            log.warning("The answer to a click did not get through (%s); the card is edited instead.", error)
            store.stand(Standing(*place, ""))
            if conversation := await self.conversations.find(update.ticket.conversation):
                conversation.ticket_changed(update.ticket)


async def _whisper(interaction: Clicked, sentence: str) -> None:
    await interaction.create_initial_response(
        hikari.ResponseType.MESSAGE_CREATE, sentence, flags=hikari.MessageFlag.EPHEMERAL
    )


def _pressed(interaction: Clicked) -> Pressed:
    who = person(interaction.user, interaction.member)
    channel = int(interaction.channel_id)
    if isinstance(interaction, hikari.ComponentInteraction):
        return Pressed(interaction.custom_id, who, channel, values=tuple(interaction.values))
    return Pressed(interaction.custom_id, who, channel, fields=dict(_fields(interaction)))


def _fields(interaction: hikari.ModalInteraction) -> Iterable[tuple[str, str]]:
    for row in interaction.components:
        for component in row.components:
            if isinstance(component, hikari.TextInputComponent):
                yield component.custom_id, component.value
