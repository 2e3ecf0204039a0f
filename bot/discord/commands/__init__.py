"""The slash commands."""

import lightbulb

from bot.discord.commands import (
    asking,
    conversation,
    decisions,
    looking,
    panel,
    projects,
    sessions,
    settings,
    steering,
    worktree,
)
from bot.discord.commands.frame import already_told, only_allowed

LOADERS = (
    conversation.loader,
    decisions.loader,
    panel.loader,
    projects.loader,
    settings.loader,
    worktree.loader,
    sessions.loader,
    steering.loader,
    looking.loader,
    asking.loader,
)

__all__ = ["LOADERS", "add_to", "only_allowed"]


async def add_to(client: lightbulb.Client) -> None:
    """Give the client every command, and the way to refuse one."""
    client.error_handler(already_told)
    for loader in LOADERS:
        await loader.add_to_client(client)
