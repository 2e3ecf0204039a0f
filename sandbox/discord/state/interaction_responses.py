"""All interactions: the bot has three seconds to respond to each, and gets a token for later messages."""

import asyncio
import secrets
import time

from sandbox.discord import errors, payloads
from sandbox.discord.errors import FormErrors, invalid
from sandbox.discord.rest import request_bodies
from sandbox.discord.state.entities import DiscordMessage, Json, MessageFlag, MessageType, Upload
from sandbox.discord.state.interaction import LIFETIME, PATIENCE, Interaction, InteractionType, ResponseType, payload
from sandbox.discord.state.messages import InteractionOrigin, MessageDraft, delete, edit, post
from sandbox.discord.state.world import Dispatch, World
from sandbox.discord.validation.component_limits import check_modal
from sandbox.discord.validation.fields import items, text

_ALLOWED_RESPONSES: dict[InteractionType, frozenset[ResponseType]] = {
    InteractionType.COMMAND: frozenset({ResponseType.MESSAGE, ResponseType.DEFERRED_MESSAGE, ResponseType.MODAL}),
    InteractionType.COMPONENT: frozenset(ResponseType) - {ResponseType.CHOICES},
    InteractionType.AUTOCOMPLETE: frozenset({ResponseType.CHOICES}),
    InteractionType.MODAL: frozenset(ResponseType) - {ResponseType.CHOICES, ResponseType.MODAL},
}


class Interactions:
    """The interactions so far, and their deadlines."""

    def __init__(self, world: World, *, patience: float = PATIENCE, lifetime: float = LIFETIME) -> None:
        self.world = world
        self.patience = patience
        self.lifetime = lifetime
        self._all: dict[int, Interaction] = {}
        self._timers: dict[int, asyncio.TimerHandle] = {}

    def begin(self, interaction: Interaction) -> Interaction:
        """Send an interaction to the bot and start its deadline."""
        self._all[interaction.id] = interaction
        loop = asyncio.get_running_loop()
        self._timers[interaction.id] = loop.call_later(self.patience, self._fail, interaction)
        if self.world.application.interactions_endpoint_url is None:
            data = payload(interaction, self.world)
            self.world.publish(Dispatch("INTERACTION_CREATE", data, only_for=self.world.bot))
        return interaction

    def close(self) -> None:
        for timer in self._timers.values():
            timer.cancel()

    def _fail(self, interaction: Interaction) -> None:
        if interaction.response is None:
            interaction.failed = True
            self._settle(interaction, "INTERACTION_FAILURE")

    def _settle(self, interaction: Interaction, event: str) -> None:
        """Tell the person's client how the interaction ended, as Discord does."""
        self._timers.pop(interaction.id).cancel()
        interaction.took = time.monotonic() - interaction.began
        interaction.settled.set()
        self.world.publish(Dispatch(event, {"id": str(interaction.id)}, only_for=interaction.user))

    # Requests from the bot

    def respond(self, number: int, token: str, body: Json, files: dict[int, Upload]) -> Json:
        """Accept the bot's first response."""
        interaction = self._all.get(number)
        if interaction is None or not secrets.compare_digest(interaction.token, token) or interaction.failed:
            raise errors.unknown_interaction()
        if interaction.response is not None:
            raise errors.already_acknowledged()
        response = self._allowed(interaction, body.get("type"))
        data = body.get("data") or {}
        match response:
            case ResponseType.MESSAGE | ResponseType.DEFERRED_MESSAGE:
                self._respond_with_message(interaction, response, data, files)
            case ResponseType.DEFERRED_UPDATE:
                interaction.original = interaction.message
            case ResponseType.UPDATE if interaction.message:
                changes = request_bodies.edit(data, files, interaction.message, at=("data",))
                interaction.original = edit(self.world, interaction.message, changes)
            case ResponseType.CHOICES:
                interaction.choices = _choices(data)
            case ResponseType.MODAL:
                check_modal(data)
                interaction.modal = data
                opened = {"id": str(interaction.id), **data}
                self.world.publish(Dispatch("INTERACTION_MODAL_CREATE", opened, only_for=interaction.user))
        interaction.response = response
        self._settle(interaction, "INTERACTION_SUCCESS")
        return self._acknowledgement(interaction, response)

    def _allowed(self, interaction: Interaction, kind: object) -> ResponseType:
        allowed = _ALLOWED_RESPONSES[interaction.what]
        if interaction.what is InteractionType.MODAL and interaction.message is None:
            allowed -= {ResponseType.UPDATE, ResponseType.DEFERRED_UPDATE}
        if not isinstance(kind, int) or kind not in allowed:
            choices = ", ".join(str(int(each)) for each in sorted(allowed))
            raise invalid(("type",), "BASE_TYPE_CHOICES", f"Value must be one of {{{choices}}}.")
        return ResponseType(kind)

    def _respond_with_message(
        self, interaction: Interaction, response: ResponseType, data: Json, files: dict[int, Upload]
    ) -> None:
        if response is ResponseType.DEFERRED_MESSAGE:
            draft = MessageDraft(
                flags=MessageFlag(data.get("flags") or 0) & MessageFlag.EPHEMERAL | MessageFlag.LOADING
            )
        else:
            draft = request_bodies.draft(data, files, interaction.channel, at=("data",))
        menu = interaction.data.get("type") in {2, 3}
        kinds = {InteractionType.COMMAND: MessageType.CONTEXT_MENU if menu else MessageType.COMMAND}
        kind = kinds.get(interaction.what, MessageType.DEFAULT)
        interaction.original = self._post(interaction, draft, kind)

    def _post(self, interaction: Interaction, draft: MessageDraft, kind: MessageType) -> DiscordMessage:
        only_for = interaction.user if draft.flags & MessageFlag.EPHEMERAL else None
        origin = InteractionOrigin(kind, interaction.metadata(), only_for, self.world.application.id)
        return post(self.world, interaction.channel, self.world.bot, draft, origin)

    def _acknowledgement(self, interaction: Interaction, response: ResponseType) -> Json:
        about: Json = {"id": str(interaction.id), "type": int(interaction.what)}
        resource: Json = {"type": int(response)}
        if (
            response in {ResponseType.MESSAGE, ResponseType.DEFERRED_MESSAGE, ResponseType.UPDATE}
            and interaction.original
        ):
            message = interaction.original
            about |= {
                "response_message_id": str(message.id),
                "response_message_loading": message.loading,
                "response_message_ephemeral": message.ephemeral,
            }
            resource["message"] = payloads.message(message, seen_by=self.world.bot)
        return {"interaction": about, "resource": resource}

    def follow_up(self, token: str, body: Json, files: dict[int, Upload]) -> DiscordMessage:
        """Send a follow-up; the first one after a deferred response replaces it."""
        interaction = self._by_token(token)
        original = interaction.original
        if original and original.loading and interaction.response is ResponseType.DEFERRED_MESSAGE:
            flags = MessageFlag(body.get("flags") or 0) & MessageFlag.COMPONENTS_V2
            return edit(self.world, original, request_bodies.edit({**body, "flags": int(flags)}, files, original))
        draft = request_bodies.draft(body, files, interaction.channel)
        message = self._post(interaction, draft, MessageType.DEFAULT)
        interaction.followups.append(message)
        return message

    def change(self, token: str, message_id: str, body: Json, files: dict[int, Upload]) -> DiscordMessage:
        message = self.sent(token, message_id)
        return edit(self.world, message, request_bodies.edit(body, files, message))

    def delete(self, token: str, message_id: str) -> None:
        delete(self.world, self.sent(token, message_id))

    def sent(self, token: str, message_id: str) -> DiscordMessage:
        """Find a message that this token may edit."""
        interaction = self._by_token(token)
        ours = [each for each in (interaction.original, *interaction.followups) if each and not each.deleted]
        if message_id == "@original":
            ours = [each for each in ours if each is interaction.original]
        else:
            ours = [each for each in ours if str(each.id) == message_id]
        if not ours:
            raise errors.unknown_message()
        return ours[0]

    def _by_token(self, token: str) -> Interaction:
        for interaction in self._all.values():
            if secrets.compare_digest(interaction.token, token):
                if time.monotonic() - interaction.began > self.lifetime:
                    raise errors.invalid_webhook_token()
                if interaction.response is None:
                    break
                return interaction
        raise errors.unknown_webhook()


def _choices(data: Json) -> list[Json]:
    form = FormErrors()
    choices = items(form, ("data", "choices"), data.get("choices"), most=25)
    for number, choice in enumerate(choices):
        text(form, ("data", "choices", number, "name"), choice.get("name"), least=1, most=100, required=True)
        if isinstance(choice.get("value"), str):
            text(form, ("data", "choices", number, "value"), choice["value"], least=1, most=100)
    form.check()
    return choices
