"""The card that asks an owner to approve a configuration change, and its buttons."""

import asyncio
import logging
import time
from collections.abc import Callable
from contextlib import AbstractAsyncContextManager, suppress
from dataclasses import dataclass
from functools import partial

from bot.config import Person, Settings
from bot.discord.interactions.received_interaction import UNKNOWN_BUTTON, ReceivedInteraction
from bot.discord.outgoing.message_sender import SentMessages
from bot.errors import NotDone
from bot.message_names import CONFIGURATION
from bot.ports import Channel
from bot.projects.config_diff_text import is_for_discord
from bot.projects.config_reload import ConfigReload
from bot.projects.projects import Projects
from bot.refusals import OWNERS_ONLY
from bot.render.replies import config_change_card as drawing

PACE = 3.0
"""Seconds between two checks of where the card belongs."""
ONLY_AT_THE_TERMINAL = (
    "This change has a value that can't be shown in Discord. Run `claude-discord reload` in a terminal."
)
GONE = "The file has changed again, or this change already applies."

log = logging.getLogger(__name__)


@dataclass(slots=True)
class ConfigChangeCard:
    """Shows a change that waits for an owner, in the panel's channel or else in the first project's channel."""

    open_channel: Callable[[int], AbstractAsyncContextManager[Channel]]
    projects: Projects
    reloading: ConfigReload
    store: SentMessages
    _shown: str = ""
    """The key of the card that can be pressed."""
    _outcome: str = ""
    """What an owner decided about it."""

    async def keep(self) -> None:
        """Keep the card up to date in the channel that the configuration currently names."""
        while True:
            channel = _place(self.projects.settings)
            if channel is None:
                await asyncio.sleep(PACE)
                continue
            async with self.open_channel(channel) as shown:
                while _place(self.projects.settings) == channel:
                    self._show(shown, CONFIGURATION.of(channel))
                    self.reloading.changed.clear()
                    with suppress(TimeoutError):
                        async with asyncio.timeout(PACE):
                            await self.reloading.changed.wait()

    def _show(self, channel: Channel, view: str) -> None:
        pending = self.reloading.pending
        if pending is not None and pending.name != self.reloading.turned_down:
            key = self._shown = self._key(view, pending.name)
            self._outcome = ""
            owners = self.projects.settings.owners
            channel.show(view, lambda: [drawing.pending_card(key, pending.name, pending.differences, owners)])
        elif self._shown:  # the card stays, but nobody can press it any more
            key, self._shown = self._shown, ""
            outcome = self._outcome or GONE
            channel.show(view, lambda: [drawing.decided_card(key, outcome)])
            channel.once_shown(view, partial(self.store.forget_sent, view, key))
        else:
            channel.show(view, list)

    def _key(self, view: str, name: str) -> str:
        """Find the card again that was shown before a restart; a change that was settled once gets a new card."""
        known = (each.key for each in self.store.sent_in(view) if each.key.startswith(name))
        return next(known, f"{name}-{time.time():.0f}")

    async def answer(self, interaction: ReceivedInteraction) -> None:
        """Answer a button of the card."""
        press = drawing.parse_custom_id(interaction.custom_id)
        if press is None:
            raise NotDone(UNKNOWN_BUTTON)
        await interaction.defer()
        await interaction.tell(await self._pressed(*press, interaction.person))

    async def _pressed(self, verb: str, name: str, who: Person) -> str:
        if not who.among(self.projects.settings.owners):
            raise NotDone(OWNERS_ONLY)
        if verb == "keep":
            await self.reloading.turn_down(name)
            self._outcome = f"<@{who.id}> kept the current settings. Please remove the change from the file."
            log.info("%s rejected a configuration change.", who.id)
            return "The current settings are kept."
        pending = self.reloading.pending
        if pending is not None and pending.name == name and not is_for_discord(pending.differences):
            raise NotDone(ONLY_AT_THE_TERMINAL)
        await self.reloading.take_over(name, who.id, "button")
        self._outcome = f"<@{who.id}> approved it."
        log.info("%s approved a configuration change.", who.id)
        return "The change applies now."


def _place(settings: Settings) -> int | None:
    if settings.panel is not None:
        return settings.panel
    return min(next(iter(settings.projects.values())).channels, default=None) if settings.projects else None
