"""Suggestions that Discord shows while someone types a command's option."""

from collections.abc import Iterable
from contextlib import suppress

import hikari

from bot.config import Project
from bot.conversation_status import Capabilities, Capability
from bot.conversations.conversation import Conversation
from bot.conversations.conversations import Conversations
from bot.discord.people import person
from bot.discord.project_lookup import ProjectLookup
from bot.errors import ClaudeError
from bot.messages import OPTION_LIMIT
from bot.text.escape import one_line
from bot.text.truncate import truncate

CAPABILITIES_TIMEOUT = 1.5
"""Longest wait for suggestions in seconds; Discord would wait for three."""
MAX_SUGGESTIONS = 25
"""Largest number of suggestions that Discord shows."""


async def project_for_suggestions(interaction: hikari.AutocompleteInteraction, lookup: ProjectLookup) -> Project | None:
    """Find the project of the person who is typing; return None if they may not talk in it."""
    project = await lookup.project_at(int(interaction.channel_id))
    allowed = project is not None and person(interaction.user, interaction.member).among(project.talk)
    return project if allowed else None


async def conversation_for_suggestions(
    interaction: hikari.AutocompleteInteraction, conversations: Conversations, lookup: ProjectLookup
) -> Conversation | None:
    """Find the conversation of the person who is typing; return None if they may not talk in it."""
    if await project_for_suggestions(interaction, lookup) is None:
        return None
    return await conversations.find(int(interaction.channel_id))


def suggestions(known: Iterable[Capability], typed: str) -> list[tuple[str, str]]:
    """Return the matching suggestions as (label, value); those that begin with the typed text come first."""
    wanted = typed.casefold().removeprefix("/")
    matching = [each for each in known if wanted in each.name.casefold() and len(each.name) <= OPTION_LIMIT]
    matching.sort(key=lambda each: not each.name.casefold().startswith(wanted))
    return [
        (truncate(f"{each.name} · {one_line(each.about)}" if each.about else each.name, OPTION_LIMIT), each.name)
        for each in matching[:MAX_SUGGESTIONS]
    ]


async def capabilities(conversation: Conversation) -> Capabilities:
    """Return what Claude can do here; the first time, ask its process if one is running."""
    if not conversation.status().capabilities.described:
        with suppress(ClaudeError):
            await conversation.control("initialize", within=CAPABILITIES_TIMEOUT)
    return conversation.status().capabilities
