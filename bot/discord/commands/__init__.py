"""The slash commands, one module per command, and the command in a message's menu."""

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
    help,  # noqa: A004 - the command's name
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
from bot.discord.commands.access import check_access, handle_error
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

__all__ = ["LOADERS", "check_access", "register_commands"]


async def register_commands(client: lightbulb.Client, store: CommandStore) -> None:
    """Register all commands, the store that they use, and their error handler."""
    registry = client.di.registry_for(lightbulb.di.Contexts.DEFAULT)
    for protocol in PROTOCOLS:
        registry.register_value(protocol, store)
    client.error_handler(handle_error)
    for loader in LOADERS:
        await loader.add_to_client(client)
