"""Carries out a page's requests as the person who uses the page."""

from dataclasses import dataclass, field
from typing import Any

from sandbox.discord import (
    Discord,
    DiscordChannel,
    DiscordMessage,
    DiscordPerson,
    InteractionResult,
    OpenedModal,
    Permission,
    PersonCannotError,
)
from sandbox.discord.people import slash_commands
from sandbox.page import page_requests
from sandbox.page.page_requests import ChosenEntity, FileContent, PageRequest

Reply = dict[str, Any]


@dataclass(frozen=True)
class PersonActions:
    """A person's actions, and the forms that are open on their page."""

    discord: Discord
    person: DiscordPerson
    modals: dict[int, OpenedModal] = field(default_factory=dict)

    async def do(self, request: PageRequest) -> Reply:  # noqa: PLR0911 - one for each kind
        """Carry out a request of the page; raise `PersonCannotError` or `DiscordRefusal` if that is not possible."""
        match request:
            case page_requests.SubmitRequest():
                return await self._submit(request)
            case page_requests.WriteRequest() | page_requests.TypingRequest() | page_requests.ArchiveRequest():
                await self._in_channel(request)
                return {}
            case page_requests.EditRequest() | page_requests.DeleteRequest() | page_requests.ReactRequest():
                await self._on_message(request)
                return {}
            case page_requests.ClickRequest() | page_requests.SelectRequest() | page_requests.ContextMenuRequest():
                return self._reply(await self._use(request))
            case page_requests.CommandListRequest():
                world, channel = self.discord.world, self._channel(request.channel)
                return {"commands": slash_commands.commands(world, self.person.user, channel)}
            case page_requests.CommandRequest():
                options = {name: self._option(value) for name, value in request.options.items()}
                return self._reply(await self.person.command(self._channel(request.channel), request.name, **options))
            case page_requests.AutocompleteRequest():
                channel = self._channel(request.channel)
                answer = await self.person.autocomplete(channel, request.name, request.option, request.typed)
                return {"choices": [{"name": name, "value": value} for name, value in answer.choices.items()]}

    async def _in_channel(
        self, request: page_requests.WriteRequest | page_requests.TypingRequest | page_requests.ArchiveRequest
    ) -> None:
        channel = self._channel(request.channel)
        match request:
            case page_requests.WriteRequest(text=text):
                files = [each.upload for each in request.files]
                replied = None if request.reply_to is None else self._message(request.channel, request.reply_to)
                await self.person.write(channel, text, files=files, reply_to=replied)
            case page_requests.TypingRequest():
                await self.person.typing(channel)
            case page_requests.ArchiveRequest(on=on):
                self._check_may_archive(channel)
                await (self.person.archive(channel) if on else self.person.unarchive(channel))

    def _check_may_archive(self, channel: DiscordChannel) -> None:
        may = self.discord.world.permissions(self.person.user, channel) & Permission.MANAGE_THREADS
        if channel.thread is None or not (may or channel.thread.owner is self.person.user):
            raise PersonCannotError(f"{self.person.user.name} does not have permission to archive or unarchive this.")

    async def _on_message(
        self, request: page_requests.EditRequest | page_requests.DeleteRequest | page_requests.ReactRequest
    ) -> None:
        message = self._message(request.channel, request.message)
        match request:
            case page_requests.EditRequest(text=text):
                await self.person.edit(message, text)
            case page_requests.DeleteRequest():
                await self.person.delete(message)
            case page_requests.ReactRequest(emoji=emoji, on=True):
                await self.person.react(message, emoji)
            case page_requests.ReactRequest(emoji=emoji):
                await self.person.unreact(message, emoji)

    async def _use(
        self, request: page_requests.ClickRequest | page_requests.SelectRequest | page_requests.ContextMenuRequest
    ) -> InteractionResult:
        message = self._message(request.channel, request.message)
        match request:
            case page_requests.ClickRequest(custom_id=custom_id):
                return await self.person.click(message, custom_id)
            case page_requests.SelectRequest(custom_id=custom_id, values=values):
                return await self.person.select(message, custom_id, values)
            case page_requests.ContextMenuRequest(name=name):
                return await self.person.context_menu(message, name)

    async def _submit(self, request: page_requests.SubmitRequest) -> Reply:
        if request.modal not in self.modals:
            raise PersonCannotError("This form has expired. Close it and press the button again.")
        answer = await self.person.submit(self.modals[request.modal], request.values)
        if not answer.failed:  # without a response, the person can try again
            del self.modals[request.modal]
        return self._reply(answer)

    def _reply(self, answer: InteractionResult) -> Reply:
        if answer.failed:
            return {"failed": True}
        if answer.modal is not None:
            self.modals[answer.interaction.id] = answer.modal
            return {"modal": answer.modal.data, "modal_id": str(answer.interaction.id)}
        return {}

    def _option(self, value: bool | float | str | ChosenEntity | FileContent) -> slash_commands.Option:  # noqa: FBT001 - a value like others
        match value:
            case FileContent():
                return value.upload
            case ChosenEntity(id=number):
                world = self.discord.world
                roles = {role.id: role for guild in world.guilds.values() for role in guild.roles.values()}
                found = world.users.get(number) or world.channels.get(number) or roles.get(number)
                if found is None:
                    raise PersonCannotError("The chosen user, role or channel no longer exists.")
                return found
            case _:
                return value

    def _channel(self, number: int) -> DiscordChannel:
        channel = self.discord.world.channels.get(number)
        if channel is None or not self.discord.world.sees(self.person.user, channel):
            raise PersonCannotError("This channel no longer exists.")
        return channel

    def _message(self, channel: int, message: int) -> DiscordMessage:
        for each in self.person.messages(self._channel(channel)):
            if each.id == message:
                return each
        raise PersonCannotError("This message no longer exists.")
