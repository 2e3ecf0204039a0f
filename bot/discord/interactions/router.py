"""The router for buttons, menus and forms: the prefix of a custom_id selects the handler."""

import asyncio
import logging
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass

import hikari

from bot.discord.interactions.received_interaction import UNKNOWN_BUTTON, ReceivedInteraction
from bot.errors import NotDone

FAILED = "Something went wrong. Please try again; the bot's log has the details."

log = logging.getLogger(__name__)

Answer = Callable[[ReceivedInteraction], Awaitable[None]]


@dataclass(frozen=True, slots=True)
class InteractionRouter:
    """Calls the handler of each interaction and makes sure that everyone gets a response.

    A handler raises NotDone to tell the person why something can't be done. lightbulb routes the slash commands.
    """

    bot: hikari.GatewayBot
    ready: asyncio.Event
    """Set when the conversations are open; everything before that waits."""
    handlers: Mapping[str, Answer]
    """By the part of the custom_id before the first or the second colon."""

    def subscribe(self) -> None:
        self.bot.subscribe(hikari.InteractionCreateEvent, self.on_interaction)

    async def on_interaction(self, event: hikari.InteractionCreateEvent) -> None:
        if isinstance(event.interaction, hikari.ComponentInteraction | hikari.ModalInteraction):
            await self.ready.wait()
            await self._answer(ReceivedInteraction.of(event.interaction))

    async def _answer(self, interaction: ReceivedInteraction) -> None:
        try:
            await self._handler(interaction.custom_id)(interaction)
        except NotDone as error:
            await _tell(interaction, str(error))
        except Exception:
            log.exception("Handling %r failed.", interaction.custom_id)
            await _tell(interaction, FAILED)

    def _handler(self, custom_id: str) -> Answer:
        first, _, rest = custom_id.partition(":")
        second = rest.partition(":")[0]
        found = self.handlers.get(f"{first}:{second}") or self.handlers.get(first)
        if found is None:
            raise NotDone(UNKNOWN_BUTTON)
        return found


async def _tell(interaction: ReceivedInteraction, sentence: str) -> None:
    try:
        await interaction.tell(sentence)
    except hikari.HikariError as error:
        log.warning("The response to %r failed: %s", interaction.custom_id, error)
