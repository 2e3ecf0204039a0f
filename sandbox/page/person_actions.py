"""One person in front of the page: what it asks for is done in their name."""

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

Outcome = dict[str, Any]


@dataclass(frozen=True)
class PersonActions:
    """A person, and the forms that stand open before them."""

    discord: Discord
    person: DiscordPerson
    modals: dict[int, OpenedModal] = field(default_factory=dict)

    async def do(self, asked: PageRequest) -> Outcome:  # noqa: PLR0911 - one for each kind
        """Do what the page asks; `PersonCannotError` and `Refused` say why not."""
        match asked:
            case page_requests.SubmitRequest():
                return await self._submit(asked)
            case page_requests.WriteRequest() | page_requests.TypingRequest() | page_requests.ArchiveRequest():
                await self._in_channel(asked)
                return {}
            case page_requests.EditRequest() | page_requests.DeleteRequest() | page_requests.ReactRequest():
                await self._on_message(asked)
                return {}
            case page_requests.ClickRequest() | page_requests.SelectRequest() | page_requests.ContextMenuRequest():
                return self._outcome(await self._use(asked))
            case page_requests.CommandListRequest():
                world, channel = self.discord.world, self._channel(asked.channel)
                return {"commands": slash_commands.commands(world, self.person.user, channel)}
            case page_requests.CommandRequest():
                options = {name: self._option(value) for name, value in asked.options.items()}
                return self._outcome(await self.person.command(self._channel(asked.channel), asked.name, **options))
            case page_requests.AutocompleteRequest():
                channel = self._channel(asked.channel)
                answer = await self.person.autocomplete(channel, asked.name, asked.option, asked.typed)
                return {"choices": [{"name": name, "value": value} for name, value in answer.choices.items()]}

    async def _in_channel(
        self, asked: page_requests.WriteRequest | page_requests.TypingRequest | page_requests.ArchiveRequest
    ) -> None:
        channel = self._channel(asked.channel)
        match asked:
            case page_requests.WriteRequest(text=text):
                files = [each.upload for each in asked.files]
                replied = None if asked.reply_to is None else self._message(asked.channel, asked.reply_to)
                await self.person.write(channel, text, files=files, reply_to=replied)
            case page_requests.TypingRequest():
                await self.person.typing(channel)
            case page_requests.ArchiveRequest(on=on):
                self._may_archive(channel)
                await (self.person.archive(channel) if on else self.person.unarchive(channel))

    def _may_archive(self, channel: DiscordChannel) -> None:
        may = self.discord.world.permissions(self.person.user, channel) & Permission.MANAGE_THREADS
        if channel.thread is None or not (may or channel.thread.owner is self.person.user):
            raise PersonCannotError(f"{self.person.user.name} may not archive this, nor bring it back.")

    async def _on_message(
        self, asked: page_requests.EditRequest | page_requests.DeleteRequest | page_requests.ReactRequest
    ) -> None:
        message = self._message(asked.channel, asked.message)
        match asked:
            case page_requests.EditRequest(text=text):
                await self.person.edit(message, text)
            case page_requests.DeleteRequest():
                await self.person.delete(message)
            case page_requests.ReactRequest(emoji=emoji, on=True):
                await self.person.react(message, emoji)
            case page_requests.ReactRequest(emoji=emoji):
                await self.person.unreact(message, emoji)

    async def _use(
        self, asked: page_requests.ClickRequest | page_requests.SelectRequest | page_requests.ContextMenuRequest
    ) -> InteractionResult:
        message = self._message(asked.channel, asked.message)
        match asked:
            case page_requests.ClickRequest(custom_id=custom_id):
                return await self.person.click(message, custom_id)
            case page_requests.SelectRequest(custom_id=custom_id, values=values):
                return await self.person.select(message, custom_id, values)
            case page_requests.ContextMenuRequest(name=name):
                return await self.person.context_menu(message, name)

    async def _submit(self, asked: page_requests.SubmitRequest) -> Outcome:
        if asked.modal not in self.modals:
            raise PersonCannotError("This form is gone. Close it, and press the button again.")
        answer = await self.person.submit(self.modals[asked.modal], asked.values)
        if not answer.failed:  # who was not answered may try again
            del self.modals[asked.modal]
        return self._outcome(answer)

    def _outcome(self, answer: InteractionResult) -> Outcome:
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
                    raise PersonCannotError("What was chosen is gone.")
                return found
            case _:
                return value

    def _channel(self, number: int) -> DiscordChannel:
        channel = self.discord.world.channels.get(number)
        if channel is None or not self.discord.world.sees(self.person.user, channel):
            raise PersonCannotError("This channel is gone.")
        return channel

    def _message(self, channel: int, message: int) -> DiscordMessage:
        for each in self.person.messages(self._channel(channel)):
            if each.id == message:
                return each
        raise PersonCannotError("This message is gone.")
