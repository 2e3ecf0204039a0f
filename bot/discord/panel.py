"""The panel: one message that shows every project, kept up to date in its channel, and its buttons."""

import asyncio
import logging
import time
from collections.abc import Callable
from contextlib import AbstractAsyncContextManager, suppress
from dataclasses import dataclass
from typing import Protocol

import hikari

from bot.config import Project
from bot.conversations.conversation import Conversation
from bot.conversations.conversations import Conversations
from bot.conversations.project_overview import ProjectCounts, overview
from bot.discord.interactions.received_interaction import UNKNOWN_BUTTON, ReceivedInteraction
from bot.discord.threads import Threads
from bot.errors import NotDone
from bot.message_names import PANEL
from bot.ports import Channel
from bot.projects.projects import Projects
from bot.projects.worktrees import Worktrees
from bot.refusals import MAY_NOT_TALK
from bot.render.replies import panel as drawing
from bot.render.replies.panel import ProjectSummary

UPDATE_INTERVAL = 3.0
"""Seconds between two updates; Discord accepts one edit a second, and the threads need some of them."""
STOP_TIMEOUT = 2.0
"""Longest time in seconds to show that the bot has stopped."""
LISTED_THREADS = 5
NO_THREAD = "I can't open a thread in <#{channel}>. Run `claude-discord doctor` to see which permission is missing."

log = logging.getLogger(__name__)


class PanelStore(ProjectCounts, Protocol):
    """What the panel reads from the state file."""

    def latest_threads(self, project: str, most: int) -> list[int]: ...
    def started_with_the_bot(self) -> list[int]: ...


@dataclass(frozen=True, slots=True)
class Panel:
    """Shows every project; its buttons start and stop Claude and list a project's threads."""

    open_channel: Callable[[int], AbstractAsyncContextManager[Channel]]
    projects: Projects
    conversations: Conversations
    threads: Threads
    worktrees: Worktrees
    store: PanelStore

    async def run(self) -> None:
        """Keep the panel up to date in the channel that the configuration currently names."""
        while True:
            channel = self.projects.settings.panel
            if channel is None:
                await asyncio.sleep(UPDATE_INTERVAL)
                continue
            async with self.open_channel(channel) as shown:
                await self._update_while_in(channel, shown)

    async def _update_while_in(self, channel: int, shown: Channel) -> None:
        view = PANEL.of(channel)
        moved = False
        try:
            while self.projects.settings.panel == channel:
                shown.show(view, lambda: drawing.panel(self.rows(), self._notes()))
                await asyncio.sleep(UPDATE_INTERVAL)
            moved = True
        finally:
            last = [] if moved else [drawing.stopped_panel(time.time())]
            shown.show(view, lambda: last)
            with suppress(TimeoutError):
                async with asyncio.timeout(STOP_TIMEOUT):
                    await shown.settled()

    async def start_configured(self) -> None:
        """Start the projects and threads whose `startup` setting is on."""
        wanted = [name for name, project in self.projects.settings.projects.items() if project.startup]
        for name in wanted:
            try:
                await self.start(self.projects.settings.projects[name])
            except (NotDone, hikari.HikariError, OSError) as error:
                log.warning("Claude could not be started in %s: %s", name, error)
        for thread in self.store.started_with_the_bot():
            try:
                if conversation := await self.conversations.find(thread):
                    conversation.warm(stay=True)
            except NotDone as error:
                log.warning("Claude could not be started in thread %s: %s", thread, error)

    async def start(self, project: Project) -> Conversation:
        """Start Claude in a project, in its latest thread or in a new one."""
        conversation: Conversation | None = None
        for thread in self.store.latest_threads(project.name, 1):
            conversation = await self.conversations.find(thread)
        if conversation is None:
            conversation = await self._open_conversation(project)
        conversation.warm(stay=True)
        return conversation

    def rows(self) -> list[ProjectSummary]:
        return overview(self.projects, self.conversations, self.store, time.time())

    async def answer(self, interaction: ReceivedInteraction) -> None:
        """Handle a click on one of the panel's buttons."""
        press = drawing.parse_custom_id(interaction.custom_id)
        if press is None:
            raise NotDone(UNKNOWN_BUTTON)
        await interaction.defer()
        await interaction.tell(await self._handle_click(*press, interaction))

    async def _handle_click(self, verb: str, name: str, interaction: ReceivedInteraction) -> str:
        project = self.projects.settings.projects.get(name)
        if project is None:
            raise NotDone("This project is no longer configured.")
        if not interaction.person.among(project.talk):
            raise NotDone(MAY_NOT_TALK)
        match verb:
            case "start":
                return f"Claude is ready in <#{(await self.start(project)).id}>."
            case "stop":
                return await self._stop(name, interaction.name, interaction.at)
            case _:
                row = next(row for row in self.rows() if row.name == name)
                return drawing.project_links(row, self.store.latest_threads(name, LISTED_THREADS))

    async def _stop(self, name: str, called: str, at: float) -> str:
        running = [c for c in self.conversations.awake() if (now := c.status()).project.name == name and now.stoppable]
        if not running:
            raise NotDone("Nothing is running there.")
        said = await asyncio.gather(*(conversation.stop(called, at) for conversation in running))
        return "\n".join(f"<#{c.id}> {sentence}" for c, sentence in zip(running, said, strict=True))[:2000]

    async def _open_conversation(self, project: Project) -> Conversation:
        channel = min(project.channels)
        try:
            if project.style == "channel":
                return await self.threads.start_in(channel, project, project.name)
            return await self.threads.open_thread(channel, project, f"{project.name}: new conversation")
        except (hikari.ForbiddenError, hikari.NotFoundError):
            raise NotDone(NO_THREAD.format(channel=channel)) from None

    def _notes(self) -> list[str]:
        """Return notes about problems that need attention."""
        notes = []
        if refused := self.projects.refused:
            first, *rest = refused.splitlines()
            notes.append(f"The changed configuration can't be used: {rest[0].strip() if rest else first}")
        if self.projects.pending is not None:
            notes.append("A configuration change is waiting for an owner's approval.")
        if orphans := self.worktrees.orphans():
            leftover = "worktree no longer belongs" if len(orphans) == 1 else "worktrees no longer belong"
            notes.append(f"{len(orphans)} {leftover} to a thread. Use `/worktree` in a channel to list them.")
        return notes
