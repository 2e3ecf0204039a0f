"""The slash commands."""

import lightbulb

from bot.discord.commands import (
    claude_controls,
    conversation,
    decisions,
    info,
    message_menu,
    processes,
    projects,
    sessions,
    settings,
    worktree,
)
from bot.discord.commands.access import already_told, only_allowed
from bot.discord.commands.stores import PROTOCOLS, CommandStore

LOADERS = (
    conversation.loader,
    decisions.loader,
    processes.loader,
    projects.loader,
    settings.loader,
    worktree.loader,
    sessions.loader,
    claude_controls.loader,
    info.loader,
    message_menu.loader,
)

__all__ = ["LOADERS", "add_to", "only_allowed"]


async def add_to(client: lightbulb.Client, store: CommandStore) -> None:
    """Give the client every command, and the way to refuse one."""
    registry = client.di.registry_for(lightbulb.di.Contexts.DEFAULT)
    for protocol in PROTOCOLS:
        registry.register_value(protocol, store)
    client.error_handler(already_told)
    for loader in LOADERS:
        await loader.add_to_client(client)
