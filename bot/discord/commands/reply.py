"""Replies to a slash command with a message that has buttons or menus."""

import hikari
import lightbulb

from bot.discord.outgoing.components import payload
from bot.messages import Message


async def reply(context: lightbulb.Context, message: Message) -> None:
    """Send a reply that only the person who used the command sees."""
    arguments = payload(message)
    await context.respond(arguments.pop("content", hikari.UNDEFINED), ephemeral=True, **arguments)
