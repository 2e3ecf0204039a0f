"""A person who uses Discord: writes, clicks, fills in forms, uses commands, and reads."""

import asyncio
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from sandbox.discord.errors import DiscordRefusal
from sandbox.discord.people import slash_commands
from sandbox.discord.people.modal import OpenedModal, Value, chosen_values, filled
from sandbox.discord.people.person_errors import PersonCannotError
from sandbox.discord.people.wait_until import WITHIN, until
from sandbox.discord.state import messages, threads
from sandbox.discord.state.entities import (
    SELECTS,
    ComponentType,
    DiscordChannel,
    DiscordMember,
    DiscordMessage,
    DiscordUser,
    Json,
    MessageFlag,
    Permission,
    Upload,
    walk,
)
from sandbox.discord.state.interaction import Interaction, InteractionType
from sandbox.discord.state.interaction_responses import Interactions
from sandbox.discord.state.messages import MessageDraft, MessageEdit
from sandbox.discord.state.world import World
from sandbox.discord.validation.command_limits import CHAT, MESSAGE_MENU, USER_MENU
from sandbox.discord.validation.message_limits import check_message, check_thread

LINK = 5
Wanted = str | Callable[[DiscordMessage], bool]


@dataclass(frozen=True)
class InteractionResult:
    """How the bot responded to what a person did."""

    interaction: Interaction
    world: World

    @property
    def failed(self) -> bool:
        """Whether Discord showed "This interaction failed"."""
        return self.interaction.failed

    @property
    def took(self) -> float:
        """Seconds until the bot's first response."""
        return self.interaction.took or 0.0

    @property
    def message(self) -> DiscordMessage | None:
        """The message of the response: a new one, or the one with the component."""
        return self.interaction.original

    @property
    def ephemeral(self) -> bool:
        return self.message is not None and self.message.ephemeral

    @property
    def text(self) -> str:
        return self.message.text if self.message else ""

    @property
    def modal(self) -> OpenedModal | None:
        data = self.interaction.modal
        return OpenedModal(self.interaction, data) if data is not None else None

    @property
    def choices(self) -> dict[str, str | int | float]:
        """The choices of autocomplete: name -> value."""
        return {each["name"]: each["value"] for each in self.interaction.choices}

    @property
    def followups(self) -> list[DiscordMessage]:
        return self.interaction.followups

    async def finished(self, within: float = WITHIN) -> DiscordMessage:
        """Wait until a deferred response has its content."""

        def look() -> DiscordMessage | None:
            return self.message if self.message and not self.message.loading else None

        return await until(self.world, look, within, lambda: "The bot is still thinking.")

    async def followed_up(self, count: int = 1, within: float = WITHIN) -> DiscordMessage:
        """Wait for the `count`th follow-up."""

        def look() -> DiscordMessage | None:
            return self.followups[count - 1] if len(self.followups) >= count else None

        return await until(self.world, look, within, lambda: f"There are {len(self.followups)} follow-ups.")


@dataclass(frozen=True)
class DiscordPerson:
    world: World
    interactions: Interactions
    user: DiscordUser

    # Writing

    async def write(
        self,
        channel: DiscordChannel,
        text: str = "",
        *,
        files: Sequence[Upload] = (),
        reply_to: DiscordMessage | None = None,
    ) -> DiscordMessage:
        draft = MessageDraft(text.strip(), uploads=tuple(files), reply_to=reply_to)
        try:
            check_message({"content": text}, dict(enumerate(files)))
            return messages.write(self.world, channel, self.user, draft)
        except DiscordRefusal as refusal:
            raise PersonCannotError(f"{self.user.name} can't write this: {refusal}") from refusal

    async def edit(self, message: DiscordMessage, text: str) -> DiscordMessage:
        self._must_own(message)
        return messages.edit(self.world, message, MessageEdit(content=text))

    async def delete(self, message: DiscordMessage) -> None:
        """Delete a message: one's own, any with the permission, or an ephemeral one."""
        if message.only_for is not self.user and not self._may(message.channel, Permission.MANAGE_MESSAGES):
            self._must_own(message)
        messages.delete(self.world, message)

    async def typing(self, channel: DiscordChannel) -> None:
        messages.typing(self.world, channel, self.user)

    async def react(self, message: DiscordMessage, emoji: str) -> None:
        messages.react(self.world, message, self.user, emoji)

    async def unreact(self, message: DiscordMessage, emoji: str) -> None:
        messages.unreact(self.world, message, self.user, emoji)

    async def start_thread(
        self, channel: DiscordChannel, name: str, message: DiscordMessage | None = None
    ) -> DiscordChannel:
        check_thread({"name": name})
        return threads.open_thread(self.world, channel, self.user, threads.ThreadDraft(name, message))

    async def archive(self, thread: DiscordChannel, *, lock: bool = False) -> None:
        changes = threads.ChannelEdit(archived=True, locked=lock or None)
        threads.change(self.world, thread, self.user, changes)

    async def unarchive(self, thread: DiscordChannel) -> None:
        threads.change(self.world, thread, self.user, threads.ChannelEdit(archived=False, locked=False))

    async def rename(self, channel: DiscordChannel, name: str) -> None:
        """Rename a channel or thread; a thread gets a message about it, by this person."""
        threads.change(self.world, channel, self.user, threads.ChannelEdit(name=name))

    async def delete_channel(self, channel: DiscordChannel) -> None:
        """Delete a channel or a thread."""
        threads.remove(self.world, channel)

    def _must_own(self, message: DiscordMessage) -> None:
        if message.author is not self.user:
            raise PersonCannotError(f"{self.user.name} did not write {message.text!r}.")

    def _may(self, channel: DiscordChannel, permission: Permission) -> bool:
        return bool(self.world.permissions(self.user, channel) & permission)

    # Using components

    async def click(self, message: DiscordMessage, button: str | int) -> InteractionResult:
        """Press a button, given by its label, custom_id or index, and wait for the response."""
        component = self._component(message, button, frozenset({ComponentType.BUTTON}))
        return await self._component_used(message, component, {})

    async def select(self, message: DiscordMessage, which: str | int, labels: Sequence[str]) -> InteractionResult:
        """Choose options by label (or id, in a menu of users), in a menu given like a button."""
        component = self._component(message, which, SELECTS)
        return await self._component_used(message, component, {"values": chosen_values(component, list(labels))})

    def _component(self, message: DiscordMessage, name: str | int, kinds: frozenset[int]) -> Json:
        if message.deleted or message not in self.world.messages(message.channel, self.user):
            raise PersonCannotError(f"{self.user.name} can't see this message: {message.text!r}")
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

    async def _component_used(self, message: DiscordMessage, component: Json, more: Json) -> InteractionResult:
        data: Json = {
            "component_type": component["type"],
            "custom_id": component["custom_id"],
            "id": component["id"],
            **more,
        }
        if component["type"] in SELECTS - {ComponentType.SELECT}:
            data["resolved"] = slash_commands.resolved_ids(self.world, message.channel, more["values"])
        return await self._ask(Interaction(InteractionType.COMPONENT, self.user, message.channel, data, message))

    async def forge(
        self, message: DiscordMessage, custom_id: str, values: Sequence[str] | None = None
    ) -> InteractionResult:
        """Use a component that may not exist, as a modified client can."""
        kind = ComponentType.BUTTON if values is None else ComponentType.SELECT
        data: Json = {"component_type": int(kind), "custom_id": custom_id, "id": 1}
        if values is not None:
            data["values"] = list(values)
        return await self._ask(Interaction(InteractionType.COMPONENT, self.user, message.channel, data, message))

    async def submit(self, modal: OpenedModal | None, values: Mapping[str, Value]) -> InteractionResult:
        """Submit a modal with values by label (or custom_id); other fields keep their initial values."""
        if modal is None:
            raise PersonCannotError("There is no form to fill in.")
        opener = modal.interaction
        data = filled(modal, values)
        return await self._ask(Interaction(InteractionType.MODAL, self.user, opener.channel, data, opener.message))

    # Commands

    async def command(
        self, channel: DiscordChannel, name: str, /, **options: slash_commands.Option
    ) -> InteractionResult:
        """Call a slash command; the name includes sub-commands: `"session resume"`."""
        first, *path = name.removeprefix("/").split()
        command = slash_commands.find(self.world, self.user, channel, first, CHAT)
        data = slash_commands.chat_data(self.world, channel, command, path, options)
        return await self._ask(Interaction(InteractionType.COMMAND, self.user, channel, data))

    async def autocomplete(self, channel: DiscordChannel, name: str, option: str, typed: str) -> InteractionResult:
        """Type in an option; return the bot's choices."""
        first, *path = name.removeprefix("/").split()
        command = slash_commands.find(self.world, self.user, channel, first, CHAT)
        data = slash_commands.typing_data(channel, command, path, option, typed)
        return await self._ask(Interaction(InteractionType.AUTOCOMPLETE, self.user, channel, data))

    async def context_menu(
        self, target: DiscordMessage | DiscordMember | DiscordUser, name: str, channel: DiscordChannel | None = None
    ) -> InteractionResult:
        """Call a command from the context menu of a message, or of a user in `channel`."""
        if isinstance(target, DiscordMember):
            target = target.user
        place = channel or (target.channel if isinstance(target, DiscordMessage) else None)
        if place is None:
            raise PersonCannotError("The context menu of a user needs a channel.")
        kind = MESSAGE_MENU if isinstance(target, DiscordMessage) else USER_MENU
        command = slash_commands.find(self.world, self.user, place, name, kind)
        data = slash_commands.menu_data(self.world, command, target, place)
        return await self._ask(Interaction(InteractionType.COMMAND, self.user, place, data))

    async def _ask(self, interaction: Interaction) -> InteractionResult:
        if not self._may(interaction.channel, Permission.VIEW_CHANNEL):
            raise PersonCannotError(f"{self.user.name} does not see #{interaction.channel.name}.")
        self.interactions.begin(interaction)
        await interaction.settled.wait()  # bounded by Discord's own deadline
        return InteractionResult(interaction, self.world)

    # Reading

    def messages(self, channel: DiscordChannel) -> list[DiscordMessage]:
        """List the messages that this person sees in a channel."""
        return self.world.messages(channel, self.user) if self._may(channel, Permission.VIEW_CHANNEL) else []

    def threads(self, channel: DiscordChannel, *, archived: bool = False) -> list[DiscordChannel]:
        found = [each for each in self.world.threads(channel) if self._may(each, Permission.VIEW_CHANNEL)]
        return [each for each in found if archived or not (each.thread and each.thread.archived)]

    async def sees(self, channel: DiscordChannel, wanted: Wanted, within: float = WITHIN) -> DiscordMessage:
        """Wait for a message with this text or that meets this condition; return the newest one."""

        def fits(message: DiscordMessage) -> bool:
            return wanted in message.text if isinstance(wanted, str) else wanted(message)

        def look() -> DiscordMessage | None:
            return next((each for each in reversed(self.messages(channel)) if fits(each)), None)

        return await until(self.world, look, within, lambda: self._there(channel, wanted))

    async def sees_thread(self, channel: DiscordChannel, wanted: str = "", within: float = WITHIN) -> DiscordChannel:
        """Wait for a thread with this text in its name; return the newest one."""

        def look() -> DiscordChannel | None:
            return next((each for each in reversed(self.threads(channel)) if wanted in each.name), None)

        return await until(
            self.world, look, within, lambda: f"Threads: {[each.name for each in self.threads(channel)]}"
        )

    async def sees_gone(self, message: DiscordMessage, within: float = WITHIN) -> None:
        """Wait until a message has been deleted."""
        await until(self.world, lambda: message.deleted or None, within, lambda: f"Still there: {message.text!r}")

    async def sees_typing(self, channel: DiscordChannel, within: float = WITHIN) -> None:
        """Wait until the bot types here."""
        where, who = str(channel.id), str(self.world.bot.id)
        with self.world.subscribe(self.user) as changes:
            async with asyncio.timeout(within):
                async for change in changes:
                    if change.event == "TYPING_START" and (change.data["channel_id"], change.data["user_id"]) == (
                        where,
                        who,
                    ):
                        return

    def _there(self, channel: DiscordChannel, wanted: Wanted) -> str:
        wanted = repr(wanted) if isinstance(wanted, str) else "such message"
        lines = [f"  {each.author.name}: {each.text!r}{_marks(each)}" for each in self.messages(channel)[-15:]]
        shown = "\n".join(lines) or "  (nothing)"
        return f"No {wanted} in #{channel.name}; there is:\n{shown}"


def _label(component: Json) -> str:
    return component.get("label") or component.get("placeholder") or ""


def _marks(message: DiscordMessage) -> str:
    buttons = [each["label"] for each in walk(message.components) if each.get("label")]
    marks = [f"buttons {buttons}"] if buttons else []
    marks += ["ephemeral"] if message.ephemeral else []
    marks += ["thinking"] if message.flags & MessageFlag.LOADING else []
    return f" [{', '.join(marks)}]" if marks else ""
