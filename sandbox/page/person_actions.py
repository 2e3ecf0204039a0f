"""One person in front of the page: what it asks for is done in their name."""

from dataclasses import dataclass, field
from typing import Any

from sandbox.discord import (
    Answer,
    Channel,
    Discord,
    Message,
    Modal,
    Permission,
    Person,
    PersonCannotError,
    slash_commands,
)
from sandbox.page import page_requests
from sandbox.page.page_requests import Asked, Chosen, File

Outcome = dict[str, Any]


@dataclass(frozen=True)
class Acting:
    """A person, and the forms that stand open before them."""

    discord: Discord
    person: Person
    modals: dict[int, Modal] = field(default_factory=dict)

    async def do(self, asked: Asked) -> Outcome:  # noqa: PLR0911 - one for each kind
        """Do what the page asks; `PersonCannotError` and `Refused` say why not."""
        match asked:
            case page_requests.Submit():
                return await self._submit(asked)
            case page_requests.Write() | page_requests.Typing() | page_requests.Archive():
                await self._in_channel(asked)
                return {}
            case page_requests.Edit() | page_requests.Delete() | page_requests.React():
                await self._on_message(asked)
                return {}
            case page_requests.Click() | page_requests.Select() | page_requests.Context():
                return self._outcome(await self._use(asked))
            case page_requests.Commands():
                world, channel = self.discord.world, self._channel(asked.channel)
                return {"commands": slash_commands.commands(world, self.person.user, channel)}
            case page_requests.Command():
                options = {name: self._option(value) for name, value in asked.options.items()}
                return self._outcome(await self.person.command(self._channel(asked.channel), asked.name, **options))
            case page_requests.Autocomplete():
                channel = self._channel(asked.channel)
                answer = await self.person.autocomplete(channel, asked.name, asked.option, asked.typed)
                return {"choices": [{"name": name, "value": value} for name, value in answer.choices.items()]}

    async def _in_channel(self, asked: page_requests.Write | page_requests.Typing | page_requests.Archive) -> None:
        channel = self._channel(asked.channel)
        match asked:
            case page_requests.Write(text=text):
                files = [each.upload for each in asked.files]
                replied = None if asked.reply_to is None else self._message(asked.channel, asked.reply_to)
                await self.person.write(channel, text, files=files, reply_to=replied)
            case page_requests.Typing():
                await self.person.typing(channel)
            case page_requests.Archive(on=on):
                self._may_archive(channel)
                await (self.person.archive(channel) if on else self.person.unarchive(channel))

    def _may_archive(self, channel: Channel) -> None:
        may = self.discord.world.permissions(self.person.user, channel) & Permission.MANAGE_THREADS
        if channel.thread is None or not (may or channel.thread.owner is self.person.user):
            raise PersonCannotError(f"{self.person.user.name} may not archive this, nor bring it back.")

    async def _on_message(self, asked: page_requests.Edit | page_requests.Delete | page_requests.React) -> None:
        message = self._message(asked.channel, asked.message)
        match asked:
            case page_requests.Edit(text=text):
                await self.person.edit(message, text)
            case page_requests.Delete():
                await self.person.delete(message)
            case page_requests.React(emoji=emoji, on=True):
                await self.person.react(message, emoji)
            case page_requests.React(emoji=emoji):
                await self.person.unreact(message, emoji)

    async def _use(self, asked: page_requests.Click | page_requests.Select | page_requests.Context) -> Answer:
        message = self._message(asked.channel, asked.message)
        match asked:
            case page_requests.Click(custom_id=custom_id):
                return await self.person.click(message, custom_id)
            case page_requests.Select(custom_id=custom_id, values=values):
                return await self.person.select(message, custom_id, values)
            case page_requests.Context(name=name):
                return await self.person.context_menu(message, name)

    async def _submit(self, asked: page_requests.Submit) -> Outcome:
        if asked.modal not in self.modals:
            raise PersonCannotError("This form is gone. Close it, and press the button again.")
        answer = await self.person.submit(self.modals[asked.modal], asked.values)
        if not answer.failed:  # who was not answered may try again
            del self.modals[asked.modal]
        return self._outcome(answer)

    def _outcome(self, answer: Answer) -> Outcome:
        if answer.failed:
            return {"failed": True}
        if answer.modal is not None:
            self.modals[answer.interaction.id] = answer.modal
            return {"modal": answer.modal.data, "modal_id": str(answer.interaction.id)}
        return {}

    def _option(self, value: bool | float | str | Chosen | File) -> slash_commands.Option:  # noqa: FBT001 - a value like others
        match value:
            case File():
                return value.upload
            case Chosen(id=number):
                world = self.discord.world
                roles = {role.id: role for guild in world.guilds.values() for role in guild.roles.values()}
                found = world.users.get(number) or world.channels.get(number) or roles.get(number)
                if found is None:
                    raise PersonCannotError("What was chosen is gone.")
                return found
            case _:
                return value

    def _channel(self, number: int) -> Channel:
        channel = self.discord.world.channels.get(number)
        if channel is None or not self.discord.world.sees(self.person.user, channel):
            raise PersonCannotError("This channel is gone.")
        return channel

    def _message(self, channel: int, message: int) -> Message:
        for each in self.person.messages(self._channel(channel)):
            if each.id == message:
                return each
        raise PersonCannotError("This message is gone.")
