"""The slash commands: one module for each, named after it."""

import lightbulb

from bot.discord.commands import (
    ask_about_message,
    audit,
    claude,
    compact,
    context,
    cost,
    effort,
    export,
    fork,
    help,  # noqa: A004 - the command is called so
    kill,
    mode,
    model,
    new,
    pending,
    project,
    resume,
    rules,
    sessions,
    settings,
    status,
    stop,
    worktree,
)
from bot.discord.commands.access import already_told, only_allowed
from bot.discord.commands.command_store import PROTOCOLS, CommandStore

LOADERS = (
    ask_about_message.loader,
    audit.loader,
    claude.loader,
    compact.loader,
    context.loader,
    cost.loader,
    effort.loader,
    export.loader,
    fork.loader,
    help.loader,
    kill.loader,
    mode.loader,
    model.loader,
    new.loader,
    pending.loader,
    project.loader,
    resume.loader,
    rules.loader,
    sessions.loader,
    settings.loader,
    status.loader,
    stop.loader,
    worktree.loader,
)

__all__ = ["LOADERS", "add_to", "only_allowed"]


async def add_to(client: lightbulb.Client, store: CommandStore) -> None:
    """Register every command, what is injected into it, and the handler of its errors."""
    registry = client.di.registry_for(lightbulb.di.Contexts.DEFAULT)
    for protocol in PROTOCOLS:
        registry.register_value(protocol, store)
    client.error_handler(already_told)
    for loader in LOADERS:
        await loader.add_to_client(client)
