"""`claude-discord sandbox`: Discord and Claude on this machine, in the browser."""

import argparse
import asyncio

from bot.errors import ConfigError
from sandbox.run import run


def go(arguments: argparse.Namespace) -> int:
    if arguments.config is not None:
        raise ConfigError("The sandbox has a configuration of its own; leave --config out.")
    asyncio.run(run(arguments.folder, arguments.port or 0, not arguments.no_open, arguments.scripted))
    return 0
