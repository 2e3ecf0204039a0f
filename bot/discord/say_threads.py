"""Opens a thread in Discord for a prompt that `claude-discord say` sends from the terminal."""

import time
from dataclasses import dataclass

import hikari

from bot.config import Project
from bot.conversations.conversation import Conversation
from bot.discord.threads import Threads
from bot.errors import NotDone
from bot.masking import mask
from bot.records import Prompt

HEADING = "-# Sent from the terminal:\n"
MAX_SHOWN = 1900


@dataclass(frozen=True, slots=True)
class SayThreads:
    """Opens threads as the bot itself; the owner's terminal commands use it."""

    bot: hikari.GatewayBot
    threads: Threads

    @property
    def connected(self) -> bool:
        return any(shard.is_connected for shard in self.bot.shards.values())

    async def begin(self, project: Project, text: str) -> tuple[Conversation, Prompt]:
        """Open a thread in the project's oldest channel, with the prompt as its first message."""
        channel = min(project.channels)
        try:
            shown = mask(text)
            conversation = await self.threads.open_thread(channel, project, shown)
            shown = shown if len(shown) <= MAX_SHOWN else shown[:MAX_SHOWN] + "…"
            message = await self.bot.rest.create_message(conversation.id, HEADING + shown)
        except (hikari.ForbiddenError, hikari.NotFoundError):
            raise NotDone(
                f"The bot can't open a thread in channel {channel} of {project.name}."
                " Run `claude-discord doctor` to see why."
            ) from None
        except (hikari.HikariError, OSError) as error:
            raise NotDone(f"Discord did not open a thread: {error}. Try again.") from None
        return conversation, Prompt(int(message.id), conversation.id, self._author(project), text, time.time())

    def _author(self, project: Project) -> int:
        """Return the only person who may decide here as the author; if there are several, the bot."""
        if len(project.decide.users) == 1 and not project.decide.roles:
            return min(project.decide.users)
        me = self.bot.get_me()
        return int(me.id) if me else 0
