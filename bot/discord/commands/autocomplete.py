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

ANSWER_WITHIN = 1.5
"""Seconds that someone waits for suggestions while typing; Discord would wait for three."""
CHOICES = 25
"""What Discord offers at most while somebody types."""


async def may_talk(interaction: hikari.AutocompleteInteraction, lookup: ProjectLookup) -> Project | None:
    """Find the project of somebody who types a command; None for those who may not talk: nothing is offered to them."""
    project = await lookup.project_at(int(interaction.channel_id))
    allowed = project is not None and person(interaction.user, interaction.member).among(project.talk)
    return project if allowed else None


async def asked_here(
    interaction: hikari.AutocompleteInteraction, conversations: Conversations, lookup: ProjectLookup
) -> Conversation | None:
    """Find the conversation in which somebody types a command; None for those who may not talk."""
    if await may_talk(interaction, lookup) is None:
        return None
    return await conversations.find(int(interaction.channel_id))


def offered(abilities: Iterable[Capability], typed: str) -> list[tuple[str, str]]:
    """Give what fits, as Discord offers it: what begins with the words first."""
    wanted = typed.casefold().removeprefix("/")
    fitting = [each for each in abilities if wanted in each.name.casefold() and len(each.name) <= OPTION_LIMIT]
    fitting.sort(key=lambda each: not each.name.casefold().startswith(wanted))
    return [
        (truncate(f"{each.name} · {one_line(each.about)}" if each.about else each.name, OPTION_LIMIT), each.name)
        for each in fitting[:CHOICES]
    ]


async def capabilities(conversation: Conversation) -> Capabilities:
    """Return what Claude can do here; the process is asked the first time, if it can be asked."""
    if not conversation.status().capabilities.described:
        with suppress(ClaudeError):
            await conversation.control("initialize", within=ANSWER_WITHIN)
    return conversation.status().capabilities
