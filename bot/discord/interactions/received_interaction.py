"""A pressed button, a chosen menu option or a submitted form, and the one response that Discord accepts."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal

import hikari

from bot.decisions.card_answers import Person
from bot.discord.outgoing.components import modal_rows
from bot.discord.people import display_name, person
from bot.messages import Modal

UNKNOWN_BUTTON = "This button no longer works: it is from another version of the bot."


@dataclass(slots=True)
class ReceivedInteraction:
    """What a handler gets from the router: who did what and where, and ways to respond."""

    raw: hikari.ComponentInteraction | hikari.ModalInteraction
    _response: Literal["none", "own message deferred", "pressed message deferred", "given"] = "none"

    @property
    def custom_id(self) -> str:
        return self.raw.custom_id

    @property
    def person(self) -> Person:
        return person(self.raw.user, self.raw.member)

    @property
    def name(self) -> str:
        return display_name(self.raw.user, self.raw.member)

    @property
    def channel(self) -> int:
        return int(self.raw.channel_id)

    @property
    def at(self) -> float:
        return self.raw.created_at.timestamp()

    @property
    def values(self) -> tuple[str, ...]:
        """The options that were chosen in a menu."""
        return tuple(self.raw.values) if isinstance(self.raw, hikari.ComponentInteraction) else ()

    @property
    def fields(self) -> Mapping[str, str]:
        """The texts of a form, by the custom_id of each field."""
        if isinstance(self.raw, hikari.ComponentInteraction):
            return {}
        inputs = (component for row in self.raw.components for component in row.components)
        return {each.custom_id: each.value for each in inputs if isinstance(each, hikari.TextInputComponent)}

    async def defer(self) -> None:
        """Respond within Discord's three seconds; `tell` then sends the text, visible only to this person."""
        await self.raw.create_initial_response(
            hikari.ResponseType.DEFERRED_MESSAGE_CREATE, flags=hikari.MessageFlag.EPHEMERAL
        )
        self._response = "own message deferred"

    async def acknowledge(self) -> None:
        """Respond without any change; `update` or `tell` may still follow."""
        await self.raw.create_initial_response(hikari.ResponseType.DEFERRED_MESSAGE_UPDATE)
        self._response = "pressed message deferred"

    async def tell(self, content: hikari.UndefinedOr[str] = hikari.UNDEFINED, **arguments: Any) -> None:
        """Send a text that only this person sees; after a response, as a separate message."""
        match self._response:
            case "none":
                await self.raw.create_initial_response(
                    hikari.ResponseType.MESSAGE_CREATE, content, flags=hikari.MessageFlag.EPHEMERAL, **arguments
                )
            case "own message deferred":
                await self.raw.edit_initial_response(content, **arguments)
            case _:
                await self.raw.execute(content, flags=hikari.MessageFlag.EPHEMERAL, **arguments)
        self._response = "given"

    async def update(self, **arguments: Any) -> None:
        """Replace the message whose button was pressed."""
        if self._response == "none":
            await self.raw.create_initial_response(hikari.ResponseType.MESSAGE_UPDATE, **arguments)
        else:
            await self.raw.edit_initial_response(**arguments)
        self._response = "given"

    async def open_form(self, form: Modal) -> None:
        if isinstance(self.raw, hikari.ModalInteraction):  # Discord can't open a form from a form
            await self.tell("This form was already answered.")
            return
        await self.raw.create_modal_response(form.title, form.custom_id, components=modal_rows(form))
        self._response = "given"
