"""Connects to Discord: creates hikari's client, logs in, and explains why a connection ended."""

import asyncio
import base64
import logging
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import hikari
import lightbulb

from bot.discord.outgoing.masked_json import encode
from bot.errors import DiscordAway, DiscordError

INTENTS = (
    hikari.Intents.GUILDS
    | hikari.Intents.GUILD_MESSAGES
    | hikari.Intents.MESSAGE_CONTENT
    | hikari.Intents.GUILD_MESSAGE_TYPING
)
CACHED = hikari.api.CacheComponents.GUILD_THREADS | hikari.api.CacheComponents.GUILD_CHANNELS
LOGIN_TIMEOUT = 60.0

HOW_TO_RESET = (
    "Reset it in the Developer Portal (your application → Bot → Reset Token) and put the new token into DISCORD_TOKEN."
)
TOKEN_REFUSED = f"Discord does not accept the bot token. {HOW_TO_RESET}"
NO_INTENT = (
    "The bot is not allowed to read messages. Turn on *Message Content Intent* in the Developer Portal "
    "(your application → Bot → Privileged Gateway Intents), then start again."
)

log = logging.getLogger(__name__)


def create(token: str, api: str | None) -> hikari.GatewayBot:
    """Create hikari's client without connecting."""
    _check_token(token)
    return hikari.GatewayBot(
        token,
        banner=None,
        logs=None,
        suppress_optimization_warning=True,
        intents=INTENTS,
        cache_settings=hikari.impl.CacheSettings(components=CACHED),
        rest_url=api,
        dumps=encode,
    )


@asynccontextmanager
async def connected(bot: hikari.GatewayBot, commands: lightbulb.Client | None = None) -> AsyncIterator[None]:
    """Stay connected inside the block, with the slash commands registered."""
    try:
        try:
            async with asyncio.timeout(LOGIN_TIMEOUT):
                await bot.start(check_for_updates=False)
                if commands is not None:
                    await commands.start()
        except hikari.UnauthorizedError:
            raise DiscordError(TOKEN_REFUSED) from None
        except hikari.GatewayServerClosedConnectionError as error:
            raise DiscordError(_close_reason(error)) from None
        except (hikari.HikariError, TimeoutError, OSError) as error:
            raise DiscordAway(
                f"Discord can't be reached: {error or 'no response'}. Check the network, then start again."
            ) from None
        try:
            yield
        finally:
            if commands is not None:
                await commands.stop()
    finally:
        if bot.is_alive:  # also if starting failed halfway
            await bot.close()


async def until_closed(bot: hikari.GatewayBot) -> None:
    """Wait until the connection ends for good, then raise the reason; hikari reconnects in all other cases."""
    try:
        await bot.join()
    except hikari.GatewayServerClosedConnectionError as error:
        raise DiscordError(_close_reason(error)) from None
    except hikari.HikariError as error:
        raise DiscordAway(f"The connection to Discord was lost: {error}.") from None
    raise DiscordAway("The connection to Discord ended.")


def _close_reason(error: hikari.GatewayServerClosedConnectionError) -> str:
    match error.code:
        case hikari.ShardCloseCode.DISALLOWED_INTENT:
            return NO_INTENT
        case hikari.ShardCloseCode.AUTHENTICATION_FAILED:
            return TOKEN_REFUSED
    return f"Discord closed the connection: {error.reason} ({error.code})."


def _check_token(token: str) -> None:
    """Raise unless this looks like a bot token, so that nothing else is sent: it begins with the bot's id in base64."""
    head, *rest = token.split(".")
    try:
        number = base64.b64decode(head + "=" * (-len(head) % 4)).decode()
    except ValueError:
        number = ""
    if len(rest) != 2 or not number.isdigit():
        raise DiscordError(f"DISCORD_TOKEN does not look like a bot token. {HOW_TO_RESET}")
