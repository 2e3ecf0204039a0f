"""A workshop with a channel, a maker and a stranger."""

from dataclasses import dataclass

from sandbox.discord import Channel, Discord, Guild, Person, Role


@dataclass(frozen=True)
class Workshop:
    discord: Discord
    guild: Guild
    channel: Channel
    makers: Role
    ada: Person
    eve: Person


def found(discord: Discord) -> Workshop:
    world = discord.world
    guild = world.add_guild("Workshop")
    makers = world.add_role(guild, "makers")
    ada = world.add_member(guild, "ada", roles=[makers])
    eve = world.add_member(guild, "eve")
    channel = world.add_channel(guild, "general")
    return Workshop(discord, guild, channel, makers, discord.person(ada), discord.person(eve))
