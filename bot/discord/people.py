"""Returns who a Discord user is and what they are called."""

import hikari

from bot.config import Person


def person(user: hikari.PartialUser, member: hikari.Member | hikari.InteractionMember | None) -> Person:
    return Person(int(user.id), frozenset(int(role) for role in member.role_ids) if member else frozenset())


def display_name(user: hikari.PartialUser, member: hikari.Member | hikari.InteractionMember | None) -> str:
    return member.display_name if member else str(user.username)
