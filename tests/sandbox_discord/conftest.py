"""A workshop with a channel, a maker and a stranger, and a bot that is in it."""

from collections.abc import AsyncIterator
from dataclasses import dataclass

import pytest

from sandbox.discord import Channel, Discord, Guild, Pace, Person, Role, serve
from tests.judge import judge
from tests.sandbox_discord.hikari_bot import Bot, running


@dataclass(frozen=True)
class Workshop:
    discord: Discord
    guild: Guild
    channel: Channel
    makers: Role
    ada: Person
    eve: Person


@pytest.fixture
def pace() -> Pace:
    return Pace(speed=50)


@pytest.fixture
async def workshop(pace: Pace) -> AsyncIterator[Workshop]:
    async with serve(pace=pace, judge=judge) as discord:
        world = discord.world
        guild = world.add_guild("Workshop")
        makers = world.add_role(guild, "makers")
        ada = world.add_member(guild, "ada", roles=[makers])
        eve = world.add_member(guild, "eve")
        channel = world.add_channel(guild, "general")
        yield Workshop(discord, guild, channel, makers, discord.person(ada), discord.person(eve))


@pytest.fixture
async def bot(workshop: Workshop) -> AsyncIterator[Bot]:
    async with running(workshop.discord) as bot:
        yield bot
    assert workshop.discord.violations == []
