"""The people that the configuration names, and the person who does something in Discord."""

from dataclasses import dataclass

from bot.config.values import Section, Snowflake


class People(Section):
    """Users and roles who may do something; nobody unless named."""

    users: frozenset[Snowflake] = frozenset()
    roles: frozenset[Snowflake] = frozenset()

    def __bool__(self) -> bool:
        return bool(self.users or self.roles)


@dataclass(frozen=True, slots=True)
class Person:
    """A person in Discord, with the roles that they have right now."""

    id: int
    roles: frozenset[int]

    def among(self, people: People) -> bool:
        return self.id in people.users or not self.roles.isdisjoint(people.roles)
