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

CHECK_INTERVAL = 3.0
"""Seconds between two checks of which channel the card belongs in."""
TERMINAL_ONLY = (
    "This change has a value that can't be shown in Discord. Review it with `claude-discord reload` in a terminal."
)
OUT_OF_DATE = "This card is out of date: the file has changed again, or the change already applies."

log = logging.getLogger(__name__)


@dataclass(slots=True)
class ConfigChangeCard:
    """Shows a change that is waiting for an owner, in the panel's channel or else in the first project's channel."""

    open_channel: Callable[[int], AbstractAsyncContextManager[Channel]]
    projects: Projects
    reloading: ConfigReload
    store: SentMessages
    _active_key: str = ""
    """The key of the card whose buttons still work."""
    _outcome: str = ""
    """The sentence about what an owner decided."""

    async def run(self) -> None:
        """Keep the card up to date in the channel that the configuration currently names."""
        while True:
            channel = _card_channel(self.projects.settings)
            if channel is None:
                await asyncio.sleep(CHECK_INTERVAL)
                continue
            async with self.open_channel(channel) as shown:
                while _card_channel(self.projects.settings) == channel:
                    self._show(shown, CONFIGURATION.of(channel))
                    self.reloading.changed.clear()
                    with suppress(TimeoutError):
                        async with asyncio.timeout(CHECK_INTERVAL):
                            await self.reloading.changed.wait()

    def _show(self, channel: Channel, view: str) -> None:
        pending = self.reloading.pending
        if pending is not None and pending.name != self.reloading.turned_down:
            key = self._active_key = self._card_key(view, pending.name)
            self._outcome = ""
            owners = self.projects.settings.owners
            channel.show(view, lambda: [drawing.pending_card(key, pending.name, pending.differences, owners)])
        elif self._active_key:  # the card stays, without its buttons
            key, self._active_key = self._active_key, ""
            outcome = self._outcome or OUT_OF_DATE
            channel.show(view, lambda: [drawing.decided_card(key, outcome)])
            channel.once_shown(view, partial(self.store.forget_sent, view, key))
        else:
            channel.show(view, list)

    def _card_key(self, view: str, name: str) -> str:
        """Return the key of the card shown before a restart, or a new key: a decided change gets a new card."""
        known = (each.key for each in self.store.sent_in(view) if each.key.startswith(name))
        return next(known, f"{name}-{time.time():.0f}")

    async def answer(self, interaction: ReceivedInteraction) -> None:
        """Handle a click on one of the card's buttons."""
        press = drawing.parse_custom_id(interaction.custom_id)
        if press is None:
            raise NotDone(UNKNOWN_BUTTON)
        await interaction.defer()
        await interaction.tell(await self._handle_click(*press, interaction.person))

    async def _handle_click(self, verb: str, name: str, who: Person) -> str:
        if not who.among(self.projects.settings.owners):
            raise NotDone(OWNERS_ONLY)
        if verb == "keep":
            await self.reloading.turn_down(name)
            self._outcome = f"<@{who.id}> kept the current settings. Undo the change in the file."
            log.info("%s rejected a configuration change.", who.id)
            return "Kept the current settings."
        pending = self.reloading.pending
        if pending is not None and pending.name == name and not is_for_discord(pending.differences):
            raise NotDone(TERMINAL_ONLY)
        await self.reloading.take_over(name, who.id, "button")
        self._outcome = f"<@{who.id}> approved it."
        log.info("%s approved a configuration change.", who.id)
        return "The change is now in effect."


def _card_channel(settings: Settings) -> int | None:
    if settings.panel is not None:
        return settings.panel
    return min(next(iter(settings.projects.values())).channels, default=None) if settings.projects else None
