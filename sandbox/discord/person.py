"""A person in front of Discord: writes, clicks, chooses, fills in, commands, and reads what is there."""

import asyncio
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from sandbox.discord import messages, slash_commands, threads
from sandbox.discord.command_limits import CHAT, MESSAGE_MENU, USER_MENU
from sandbox.discord.entities import (
    SELECTS,
    Channel,
    ComponentType,
    Flag,
    Json,
    Member,
    Message,
    Permission,
    Upload,
    User,
    walk,
)
from sandbox.discord.errors import Refused
from sandbox.discord.interaction import Interaction, What
from sandbox.discord.interactions import Interactions
from sandbox.discord.message_limits import check_message, check_thread
from sandbox.discord.messages import Draft, Edit
from sandbox.discord.modal import Modal, Value, chosen_values, filled
from sandbox.discord.waiting import WITHIN, PersonCannotError, until
from sandbox.discord.world import World

LINK = 5
Sought = str | Callable[[Message], bool]


@dataclass(frozen=True)
class Answer:
    """How the bot answered what a person did."""

    interaction: Interaction
    world: World

    @property
    def failed(self) -> bool:
        """Whether Discord showed "This interaction failed"."""
        return self.interaction.failed

    @property
    def took(self) -> float:
        """Seconds until the bot acknowledged."""
        return self.interaction.took or 0.0

    @property
    def message(self) -> Message | None:
        """The message that answers: a new one, or the one with the component."""
        return self.interaction.original

    @property
    def ephemeral(self) -> bool:
        return self.message is not None and self.message.ephemeral

    @property
    def text(self) -> str:
        return self.message.text if self.message else ""

    @property
    def modal(self) -> Modal | None:
        data = self.interaction.modal
        return Modal(self.interaction, data) if data is not None else None

    @property
    def choices(self) -> dict[str, str | int | float]:
        """What autocomplete offers: what is shown -> what it stands for."""
        return {each["name"]: each["value"] for each in self.interaction.choices}

    @property
    def followups(self) -> list[Message]:
        return self.interaction.followups

    async def finished(self, within: float = WITHIN) -> Message:
        """Wait until a deferred answer has become a real one."""

        def look() -> Message | None:
            return self.message if self.message and not self.message.loading else None

        return await until(self.world, look, within, lambda: "The bot is still thinking.")

    async def followed_up(self, count: int = 1, within: float = WITHIN) -> Message:
        """Wait for a further message to the same interaction: the first, or the `count`th."""

        def look() -> Message | None:
            return self.followups[count - 1] if len(self.followups) >= count else None

        return await until(self.world, look, within, lambda: f"There are {len(self.followups)} follow-ups.")


@dataclass(frozen=True)
class Person:
    world: World
    interactions: Interactions
    user: User

    # Writing

    async def write(
        self, channel: Channel, text: str = "", *, files: Sequence[Upload] = (), reply_to: Message | None = None
    ) -> Message:
        draft = Draft(text.strip(), uploads=tuple(files), reply_to=reply_to)
        try:
            check_message({"content": text}, dict(enumerate(files)))
            return messages.write(self.world, channel, self.user, draft)
        except Refused as refusal:
            raise PersonCannotError(f"{self.user.name} can't write this: {refusal}") from refusal

    async def edit(self, message: Message, text: str) -> Message:
        self._must_own(message)
        return messages.edit(self.world, message, Edit(content=text))

    async def delete(self, message: Message) -> None:
        """Delete an own message, or any with the permission for it; an ephemeral one is dismissed."""
        if message.only_for is not self.user and not self._may(message.channel, Permission.MANAGE_MESSAGES):
            self._must_own(message)
        messages.delete(self.world, message)

    async def typing(self, channel: Channel) -> None:
        messages.typing(self.world, channel, self.user)

    async def react(self, message: Message, emoji: str) -> None:
        messages.react(self.world, message, self.user, emoji)

    async def unreact(self, message: Message, emoji: str) -> None:
        messages.unreact(self.world, message, self.user, emoji)

    async def start_thread(self, channel: Channel, name: str, message: Message | None = None) -> Channel:
        check_thread({"name": name})
        return threads.open_thread(self.world, channel, self.user, threads.Plan(name, message))

    async def archive(self, thread: Channel, *, lock: bool = False) -> None:
        changes = threads.Changes(archived=True, locked=lock or None)
        threads.change(self.world, thread, self.user, changes)

    async def unarchive(self, thread: Channel) -> None:
        threads.change(self.world, thread, self.user, threads.Changes(archived=False, locked=False))

    async def rename(self, channel: Channel, name: str) -> None:
        """Rename a thread; Discord says so in it, in this person's name."""
        threads.change(self.world, channel, self.user, threads.Changes(name=name))

    async def delete_channel(self, channel: Channel) -> None:
        """Delete a channel or a thread."""
        threads.remove(self.world, channel)

    def _must_own(self, message: Message) -> None:
        if message.author is not self.user:
            raise PersonCannotError(f"{self.user.name} did not write {message.text!r}.")

    def _may(self, channel: Channel, permission: Permission) -> bool:
        return bool(self.world.permissions(self.user, channel) & permission)

    # Using components

    async def click(self, message: Message, button: str | int) -> Answer:
        """Press a button, named by what stands on it, its custom_id or its place, and wait for the bot's answer."""
        component = self._component(message, button, frozenset({ComponentType.BUTTON}))
        return await self._component_used(message, component, {})

    async def select(self, message: Message, which: str | int, labels: Sequence[str]) -> Answer:
        """Choose options by their labels (ids in a menu of people), in a menu named like a button."""
        component = self._component(message, which, SELECTS)
        return await self._component_used(message, component, {"values": chosen_values(component, list(labels))})

    def _component(self, message: Message, name: str | int, kinds: frozenset[int]) -> Json:
        if message.deleted or message not in self.world.messages(message.channel, self.user):
            raise PersonCannotError(f"{self.user.name} does not see this message (any more): {message.text!r}")
        there = [each for each in walk(message.components) if each["type"] in kinds and each.get("style") != LINK]
        fits = [each for each in there if each["custom_id"] == name]
        fits = fits or [each for each in there if name in {each.get("label"), each.get("placeholder")}]
        if isinstance(name, int):
            fits = there[name : name + 1]
        if len(fits) != 1:
            names = ", ".join(f"{_label(each)!r} ({each['custom_id']})" for each in there) or "nothing"
            how_many = "more than one" if fits else "no"
            raise PersonCannotError(f"There is {how_many} {name!r} on {message.text!r}, only {names}.")
        if fits[0].get("disabled"):
            raise PersonCannotError(f"{name!r} is disabled.")
        return fits[0]

    async def _component_used(self, message: Message, component: Json, more: Json) -> Answer:
        data: Json = {
            "component_type": component["type"],
            "custom_id": component["custom_id"],
            "id": component["id"],
            **more,
        }
        if component["type"] in SELECTS - {ComponentType.SELECT}:
            data["resolved"] = slash_commands.resolved_ids(self.world, message.channel, more["values"])
        return await self._ask(Interaction(What.COMPONENT, self.user, message.channel, data, message))

    async def forge(self, message: Message, custom_id: str, values: Sequence[str] | None = None) -> Answer:
        """Use a component that need not be there: what somebody with a changed client can try."""
        kind = ComponentType.BUTTON if values is None else ComponentType.SELECT
        data: Json = {"component_type": int(kind), "custom_id": custom_id, "id": 1}
        if values is not None:
            data["values"] = list(values)
        return await self._ask(Interaction(What.COMPONENT, self.user, message.channel, data, message))

    async def submit(self, modal: Modal | None, values: Mapping[str, Value]) -> Answer:
        """Fill in a form by its labels (or custom_ids) and send it; what is not named stays as it was."""
        if modal is None:
            raise PersonCannotError("There is no form to fill in.")
        opener = modal.interaction
        data = filled(modal, values)
        return await self._ask(Interaction(What.MODAL, self.user, opener.channel, data, opener.message))

    # Commands

    async def command(self, channel: Channel, name: str, /, **options: slash_commands.Option) -> Answer:
        """Call a slash command; sub-commands are part of the name: `"session resume"`."""
        first, *path = name.removeprefix("/").split()
        command = slash_commands.find(self.world, self.user, channel, first, CHAT)
        data = slash_commands.chat_data(self.world, channel, command, path, options)
        return await self._ask(Interaction(What.COMMAND, self.user, channel, data))

    async def autocomplete(self, channel: Channel, name: str, option: str, typed: str) -> Answer:
        """Type in an option, and see what the bot offers."""
        first, *path = name.removeprefix("/").split()
        command = slash_commands.find(self.world, self.user, channel, first, CHAT)
        data = slash_commands.typing_data(channel, command, path, option, typed)
        return await self._ask(Interaction(What.AUTOCOMPLETE, self.user, channel, data))

    async def context_menu(self, target: Message | Member | User, name: str, channel: Channel | None = None) -> Answer:
        """Use an app's command from the menu of a message, or of a person in `channel`."""
        if isinstance(target, Member):
            target = target.user
        place = channel or (target.channel if isinstance(target, Message) else None)
        if place is None:
            raise PersonCannotError("A person's menu opens in some channel: say which.")
        kind = MESSAGE_MENU if isinstance(target, Message) else USER_MENU
        command = slash_commands.find(self.world, self.user, place, name, kind)
        data = slash_commands.menu_data(self.world, command, target, place)
        return await self._ask(Interaction(What.COMMAND, self.user, place, data))

    async def _ask(self, interaction: Interaction) -> Answer:
        if not self._may(interaction.channel, Permission.VIEW_CHANNEL):
            raise PersonCannotError(f"{self.user.name} does not see #{interaction.channel.name}.")
        self.interactions.begin(interaction)
        await interaction.settled.wait()  # bounded: Discord's own deadline settles it
        return Answer(interaction, self.world)

    # Reading

    def messages(self, channel: Channel) -> list[Message]:
        """What this person sees in a channel."""
        return self.world.messages(channel, self.user) if self._may(channel, Permission.VIEW_CHANNEL) else []

    def threads(self, channel: Channel, *, archived: bool = False) -> list[Channel]:
        found = [each for each in self.world.threads(channel) if self._may(each, Permission.VIEW_CHANNEL)]
        return [each for each in found if archived or not (each.thread and each.thread.archived)]

    async def sees(self, channel: Channel, sought: Sought, within: float = WITHIN) -> Message:
        """Wait for a message with this text (or of which this is true); the newest that fits."""

        def fits(message: Message) -> bool:
            return sought in message.text if isinstance(sought, str) else sought(message)

        def look() -> Message | None:
            return next((each for each in reversed(self.messages(channel)) if fits(each)), None)

        return await until(self.world, look, within, lambda: self._there(channel, sought))

    async def sees_thread(self, channel: Channel, sought: str = "", within: float = WITHIN) -> Channel:
        """Wait for a thread whose name holds this text; the newest that fits."""

        def look() -> Channel | None:
            return next((each for each in reversed(self.threads(channel)) if sought in each.name), None)

        return await until(
            self.world, look, within, lambda: f"Threads: {[each.name for each in self.threads(channel)]}"
        )

    async def sees_gone(self, message: Message, within: float = WITHIN) -> None:
        """Wait until a message has been deleted."""
        await until(self.world, lambda: message.deleted or None, within, lambda: f"Still there: {message.text!r}")

    async def sees_typing(self, channel: Channel, within: float = WITHIN) -> None:
        """Wait until the bot starts (or goes on) typing here."""
        where, who = str(channel.id), str(self.world.bot.id)
        with self.world.subscribe(self.user) as changes:
            async with asyncio.timeout(within):
                async for change in changes:
                    if change.event == "TYPING_START" and (change.data["channel_id"], change.data["user_id"]) == (
                        where,
                        who,
                    ):
                        return

    def _there(self, channel: Channel, sought: Sought) -> str:
        wanted = repr(sought) if isinstance(sought, str) else "what was sought"
        lines = [f"  {each.author.name}: {each.text!r}{_marks(each)}" for each in self.messages(channel)[-15:]]
        shown = "\n".join(lines) or "  (nothing)"
        return f"No {wanted} in #{channel.name}; there is:\n{shown}"


def _label(component: Json) -> str:
    return component.get("label") or component.get("placeholder") or ""


def _marks(message: Message) -> str:
    buttons = [each["label"] for each in walk(message.components) if each.get("label")]
    marks = [f"buttons {buttons}"] if buttons else []
    marks += ["ephemeral"] if message.ephemeral else []
    marks += ["thinking"] if message.flags & Flag.LOADING else []
    return f" [{', '.join(marks)}]" if marks else ""
