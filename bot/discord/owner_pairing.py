"""Finding out who the owner is: whoever types the code, where they type it."""

import asyncio
import secrets
from collections.abc import AsyncIterator, Awaitable
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass

import hikari

from bot.discord import client

ALPHABET = "ABCDEFGHJKMNPQRSTVWXYZ23456789"  # nothing that looks like something else
WELCOME = "Hello <@{user}>! This channel is set up for Claude now. You can go back to the terminal."


@dataclass(frozen=True, slots=True)
class Met:
    """Somebody, and the channel in which they spoke."""

    user: int
    user_name: str
    channel: int
    channel_name: str


def new_code() -> str:
    """Make a code that nobody guesses in the time that it is asked for."""
    letters = "".join(secrets.choice(ALPHABET) for _ in range(8))
    return f"{letters[:4]}-{letters[4:]}"


@asynccontextmanager
async def meeting(token: str, api: str | None, code: str) -> AsyncIterator[Awaitable[Met]]:
    """Listen inside the block; whoever writes the code in a channel that the bot sees is the one who is awaited."""
    bot = client.make(token, api)
    heard: asyncio.Future[Met] = asyncio.get_running_loop().create_future()

    async def listen(event: hikari.GuildMessageCreateEvent) -> None:
        said = (event.message.content or "").strip().upper()
        if not event.is_human or heard.done() or not secrets.compare_digest(said.encode(), code.encode()):
            return
        met = await _met(bot, event)
        with suppress(hikari.ClientHTTPResponseError):  # it may not write there: the doctor says so in a moment
            await event.message.respond(WELCOME.format(user=met.user))
        if not heard.done():
            heard.set_result(met)

    bot.subscribe(hikari.GuildMessageCreateEvent, listen)
    async with client.connected(bot):
        yield heard


async def _met(bot: hikari.GatewayBot, event: hikari.GuildMessageCreateEvent) -> Met:
    """Name the person and the channel; for a thread, the channel that it belongs to."""
    channel = await bot.rest.fetch_channel(event.channel_id)
    if isinstance(channel, hikari.GuildThreadChannel):
        channel = await bot.rest.fetch_channel(channel.parent_id)
    return Met(int(event.author_id), event.author.username, int(channel.id), f"#{channel.name}")
