"""`claude-discord run`: the bot itself, until Ctrl-C, SIGTERM or a closed terminal."""

import argparse
import asyncio

from bot import config, logs
from bot.cli.configuration import named
from bot.errors import ConfigError

NOT_SET_UP = """\
No Discord bot token is configured. To try everything in the browser, with no account: `claude-discord sandbox`.
For Discord, create an application with a bot at https://discord.com/developers and run `claude-discord init`: it asks
for the token, finds out the rest, and writes the configuration."""


def go(arguments: argparse.Namespace) -> int:
    path = named(arguments)
    token = config.secret(folder=path.parent)
    if token is None:
        raise ConfigError(NOT_SET_UP)
    settings = config.load(path)
    if arguments.port is not None:
        settings = settings.model_copy(update={"port": arguments.port})
    logs.begin("json" if arguments.json else settings.log_format, verbose=arguments.verbose)
    from bot.app import Start, run  # noqa: PLC0415 - hikari takes half a second to import; mistakes are told before

    if not arguments.check:
        asyncio.run(run(Start(settings, token, file=path)))
    return 0
