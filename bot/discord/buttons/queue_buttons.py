"""Buttons that are no card's, and the form of «Ask Claude about this», brought to the conversations."""

import asyncio
from dataclasses import dataclass, field

import hikari

from bot.conversations.queue_buttons import Granting, Wished
from bot.discord.incoming.messages import NO_THREADS, Words
from bot.discord.people import person
from bot.errors import NotDone
from bot.queue_actions import About, Again, GoOn, Wish, about, parse


@dataclass(frozen=True, slots=True)
class Wishing:
    """Listens to presses; they wait until the conversations are there."""

    bot: hikari.GatewayBot
    granting: Granting
    words: Words
    ready: asyncio.Event = field(default_factory=asyncio.Event)

    def subscribe(self) -> None:
        self.bot.subscribe(hikari.InteractionCreateEvent, self.on_interaction)

    async def on_interaction(self, event: hikari.InteractionCreateEvent) -> None:
        interaction = event.interaction
        if isinstance(interaction, hikari.ModalInteraction) and (form := about(interaction.custom_id)):
            await self.ready.wait()
            await self._ask(interaction, form)
        elif isinstance(interaction, hikari.ComponentInteraction) and (wish := parse(interaction.custom_id)):
            await self.ready.wait()
            await self._grant(interaction, wish)

    async def _ask(self, interaction: hikari.ModalInteraction, form: About) -> None:
        """Ask Claude about a message that stands where the form was opened."""
        await interaction.create_initial_response(
            hikari.ResponseType.DEFERRED_MESSAGE_CREATE, flags=hikari.MessageFlag.EPHEMERAL
        )
        values = [component.value for row in interaction.components for component in row.components]
        try:
            message = await self.bot.rest.fetch_message(interaction.channel_id, form.message)
            asker = person(interaction.user, interaction.member)
            conversation = await self.words.ask_about(message, "\n".join(values), asker, int(interaction.id))
            answer = f"<#{conversation.record.id}>"
        except NotDone as error:
            answer = str(error)
        except hikari.NotFoundError:
            answer = "That message is gone."
        except hikari.ForbiddenError:
            answer = NO_THREADS
        await interaction.edit_initial_response(answer)

    async def _grant(self, interaction: hikari.ComponentInteraction, wish: Wish) -> None:
        who = person(interaction.user, interaction.member)
        name = interaction.member.display_name if interaction.member else interaction.user.username
        refusal = await self.granting.grant(
            Wished(wish, who, name, int(interaction.channel_id), int(interaction.id)),
        )
        if refusal:
            await interaction.create_initial_response(
                hikari.ResponseType.MESSAGE_CREATE, refusal, flags=hikari.MessageFlag.EPHEMERAL
            )
        elif isinstance(wish, GoOn | Again):
            # Its turn may be one of an earlier bot's, which nobody shows any more: the buttons go away here.
            await interaction.create_initial_response(hikari.ResponseType.MESSAGE_UPDATE, components=[])
        else:
            await interaction.create_initial_response(hikari.ResponseType.DEFERRED_MESSAGE_UPDATE)
