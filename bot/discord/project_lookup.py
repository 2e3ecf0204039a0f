"""Finds the project that a channel or a thread belongs to."""

from dataclasses import dataclass
from typing import Protocol

import hikari

from bot.config import Choices, Project
from bot.projects.projects import Projects
from bot.records import ConversationRecord


class ThreadRecords(Protocol):
    """The records of threads in which someone has talked to Claude."""

    def conversation(self, conversation: int) -> ConversationRecord | None: ...


@dataclass(frozen=True, slots=True)
class ProjectLookup:
    bot: hikari.GatewayBot
    projects: Projects
    threads: ThreadRecords

    async def project_at(self, channel: int) -> Project | None:
        """Find the project of a thread or channel, with the settings of the thread, or of a new one in the channel."""
        if record := self.threads.conversation(channel):
            return self.projects.of(record)
        settings = self.projects.settings
        project = settings.project_of(channel)
        if project is None and (parent := await self.parent_of(channel)):
            project = settings.project_of(parent)
        return project.at(Choices()) if project else None

    async def parent_of(self, thread: int) -> int | None:
        """Find the channel that a thread belongs to; return None for a channel."""
        if self.bot.cache.get_guild_channel(thread) is not None:
            return None  # the cache has every channel, so this needs no request for each message in one
        found = self.bot.cache.get_thread(thread) or await self._fetch(thread)
        return int(found.parent_id) if isinstance(found, hikari.GuildThreadChannel) else None

    async def _fetch(self, channel: int) -> hikari.PartialChannel | None:
        try:
            return await self.bot.rest.fetch_channel(channel)
        except (hikari.NotFoundError, hikari.ForbiddenError):
            return None
