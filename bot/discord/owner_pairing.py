"""Pairs the bot with its owner, the person who types the pairing code in Discord. `init` uses it."""

import asyncio
import secrets
from collections.abc import AsyncIterator, Awaitable
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass

import hikari

from bot.discord import client

ALPHABET = "ABCDEFGHJKMNPQRSTVWXYZ23456789"  # without letters and digits that look alike
WELCOME = "Hello <@{user}>! This channel is now set up for Claude. You can go back to the terminal."


@dataclass(frozen=True, slots=True)
class PairedOwner:
    """Who typed the pairing code, and in which channel."""

    user: int
    user_name: str
    channel: int
    channel_name: str


def new_code() -> str:
    """Return a pairing code that nobody can guess while the bot waits for it."""
    letters = "".join(secrets.choice(ALPHABET) for _ in range(8))
    return f"{letters[:4]}-{letters[4:]}"


@asynccontextmanager
async def owner_pairing(token: str, api: str | None, code: str) -> AsyncIterator[Awaitable[PairedOwner]]:
    """Listen for the code inside the block; awaiting the result returns the person who typed it."""
    bot = client.create(token, api)
    paired: asyncio.Future[PairedOwner] = asyncio.get_running_loop().create_future()

    async def on_message(event: hikari.GuildMessageCreateEvent) -> None:
        said = (event.message.content or "").strip().upper()
        if not event.is_human or paired.done() or not secrets.compare_digest(said.encode(), code.encode()):
            return
        owner = await _paired_owner(bot, event)
        with suppress(hikari.ClientHTTPResponseError):  # the bot can't write there: `doctor` reports it right after
            await event.message.respond(WELCOME.format(user=owner.user))
        if not paired.done():
            paired.set_result(owner)

    bot.subscribe(hikari.GuildMessageCreateEvent, on_message)
    async with client.connected(bot):
        yield paired


async def _paired_owner(bot: hikari.GatewayBot, event: hikari.GuildMessageCreateEvent) -> PairedOwner:
    """Return the author and channel of a message; for a thread, the channel that the thread belongs to."""
    channel = await bot.rest.fetch_channel(event.channel_id)
    if isinstance(channel, hikari.GuildThreadChannel):
        channel = await bot.rest.fetch_channel(channel.parent_id)
    return PairedOwner(int(event.author_id), event.author.username, int(channel.id), f"#{channel.name}")
