"""A pressed button, a chosen menu option or a submitted form, and the one response that Discord accepts."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal, Self

import hikari

from bot.config import Person
from bot.discord.outgoing.components import modal_rows
from bot.discord.people import display_name, person
from bot.messages import Modal

UNKNOWN_BUTTON = "This button no longer works: it is from another version of the bot."


@dataclass(slots=True)
class ReceivedInteraction:
    """What a handler gets from the router: who did what and where, and ways to respond."""

    raw: hikari.ComponentInteraction | hikari.ModalInteraction
    custom_id: str
    person: Person
    name: str
    channel: int
    values: tuple[str, ...]
    """The options that were chosen in a menu."""
    fields: Mapping[str, str]
    """The texts of a form, by the custom_id of each field."""
    _response: Literal["none", "own message deferred", "pressed message deferred", "given"] = "none"

    @classmethod
    def of(cls, raw: hikari.ComponentInteraction | hikari.ModalInteraction) -> Self:
        values: tuple[str, ...] = ()
        fields: dict[str, str] = {}
        if isinstance(raw, hikari.ComponentInteraction):
            values = tuple(raw.values)
        else:
            inputs = (component for row in raw.components for component in row.components)
            fields = {each.custom_id: each.value for each in inputs if isinstance(each, hikari.TextInputComponent)}
        name = display_name(raw.user, raw.member)
        return cls(raw, raw.custom_id, person(raw.user, raw.member), name, int(raw.channel_id), values, fields)

    @property
    def at(self) -> float:
        return self.raw.created_at.timestamp()

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
