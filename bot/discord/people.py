"""Who somebody is, and to which project a place in Discord belongs."""

import hikari

from bot.config import Choices, Project
from bot.conversations.conversations import Conversations
from bot.decisions.card_answers import Person


def person(user: hikari.PartialUser, member: hikari.Member | hikari.InteractionMember | None) -> Person:
    return Person(int(user.id), frozenset(int(role) for role in member.role_ids) if member else frozenset())


def display_name(user: hikari.PartialUser, member: hikari.Member | hikari.InteractionMember | None) -> str:
    return member.display_name if member else str(user.username)


async def project_at(channel: int, conversations: Conversations, bot: hikari.GatewayBot) -> Project | None:
    """Find the project of a thread or a channel, as it is in that thread, or would be in a new one."""
    if record := conversations.store.conversation(channel):
        return conversations.projects.of(record)
    settings = conversations.settings
    project = settings.project_of(channel)
    if project is None and (parent := await parent_of(channel, bot)):
        project = settings.project_of(parent)
    return project.at(Choices()) if project else None


async def parent_of(thread: int, bot: hikari.GatewayBot) -> int | None:
    """Find the channel that a thread belongs to."""
    if bot.cache.get_guild_channel(thread) is not None:
        return None  # a channel, known since the start: Discord need not be asked about every message in it
    found = bot.cache.get_thread(thread) or await _fetched(bot, thread)
    return int(found.parent_id) if isinstance(found, hikari.GuildThreadChannel) else None


async def _fetched(bot: hikari.GatewayBot, channel: int) -> hikari.PartialChannel | None:
    try:
        return await bot.rest.fetch_channel(channel)
    except (hikari.NotFoundError, hikari.ForbiddenError):
        return None
