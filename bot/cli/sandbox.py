"""`claude-discord sandbox`: run a local Discord with Claude in the browser."""

import argparse
import asyncio

from bot.errors import ConfigError
from sandbox.run import run


def execute(arguments: argparse.Namespace) -> int:
    if arguments.config is not None:
        raise ConfigError("The sandbox has its own configuration. Leave out --config.")
    asyncio.run(run(arguments.folder, arguments.port or 0, not arguments.no_open, arguments.scripted))
    return 0
