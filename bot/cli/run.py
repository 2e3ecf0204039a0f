"""`claude-discord run`: the bot itself, until Ctrl-C, SIGTERM or a closed terminal."""

import argparse
import asyncio
import logging
import os
import sys
from pathlib import Path

from bot import config, logs
from bot.cli.config_path import named
from bot.cli.output import confirm
from bot.config import Settings
from bot.errors import ConfigError
from bot.projects.config_diff_text import told, whole
from bot.restart import KEPT_ENV
from bot.setup.own_files import within_reach

log = logging.getLogger(__name__)

NOT_SET_UP = """\
No Discord bot token is configured. To try everything in the browser, with no account: `claude-discord sandbox`.
For Discord, create an application with a bot at https://discord.com/developers and run `claude-discord init`: it asks
for the token, finds out the rest, and writes the configuration."""


def go(arguments: argparse.Namespace) -> int:
    path = named(arguments)
    token = config.secret(folder=path.parent)
    if token is None:
        raise ConfigError(NOT_SET_UP)
    file = config.load(path)
    if found := within_reach(file, path):
        raise ConfigError(str(found))
    logs.begin("json" if arguments.json else file.log_format, verbose=arguments.verbose)
    from bot.app import Start, run  # noqa: PLC0415 - hikari takes half a second to import; mistakes are told before

    if not arguments.check:
        asyncio.run(run(Start(_agreed(path, file), token, file=path, port=arguments.port)))
    return 0


def _agreed(path: Path, file: Settings) -> Settings:
    """Give the settings to begin with: the file's, or where these loosen what was agreed to unseen, those of before.

    Whoever types the command is asked. A supervisor that starts the bot again after a crash can't be, nor can a bot
    that takes the place of another: then an owner is, in Discord.
    """
    before = config.confirmed_configs.settings(path)
    loosened = [each for each in config.differences(before, file) if each.loosens] if before else []
    if before is not None and loosened:
        said = "\n".join(f"! {whole(each)}" for each in loosened)
        typed = KEPT_ENV not in os.environ and sys.stdin.isatty() and sys.stderr.isatty()
        if not (typed and confirm(f"{path} has changed since it last counted:\n{said}\nTake this over?")):
            waits = "; ".join(map(told, loosened))
            log.warning("What was in force before counts; this waits for an owner: %s.", waits)
            return before
    config.confirmed_configs.confirm(path, file)
    return file
