"""A hikari bot that does nothing: the floor for the bot's start time and memory."""

import asyncio
import os
import sys

import hikari


async def live() -> None:
    bot = hikari.GatewayBot(
        os.environ["DISCORD_TOKEN"],
        banner=None,
        logs=None,
        suppress_optimization_warning=True,
        intents=hikari.Intents.GUILDS | hikari.Intents.GUILD_MESSAGES | hikari.Intents.MESSAGE_CONTENT,
        rest_url=os.environ["DISCORD_API"],
    )
    await bot.start(check_for_updates=False)
    print("Ready", file=sys.stderr, flush=True)
    await bot.join()


if __name__ == "__main__":
    asyncio.run(live())
