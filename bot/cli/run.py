"""`claude-discord run`: run the bot until Ctrl-C, SIGTERM or a closed terminal."""

import argparse
import asyncio
import logging
import os
import sys
from pathlib import Path

from bot import config, logs
from bot.cli.config_path import find_config
from bot.cli.output import confirm
from bot.config import Settings
from bot.errors import ConfigError
from bot.projects.config_diff_text import format_full, format_masked
from bot.restart import KEPT_ENV
from bot.setup.own_files import find_own_exposure

log = logging.getLogger(__name__)

NOT_SET_UP = """\
No Discord bot token is configured. To try the bot in the browser without a Discord account, run
`claude-discord sandbox`. To use Discord, create an application with a bot at https://discord.com/developers and run
`claude-discord init`: it asks for the token and writes the configuration."""


def execute(arguments: argparse.Namespace) -> int:
    path = find_config(arguments)
    token = config.secret(folder=path.parent)
    if token is None:
        if arguments.config is not None:
            config.load(path)  # a mistyped path also explains why there is no token beside it
        raise ConfigError(NOT_SET_UP)
    file = config.load(path)
    if found := find_own_exposure(file, path):
        raise ConfigError(str(found))
    logs.begin("json" if arguments.json else file.log_format, verbose=arguments.verbose)
    from bot.app import Start, run  # noqa: PLC0415 - importing hikari takes half a second; report mistakes first

    if not arguments.check:
        asyncio.run(run(Start(_approved_settings(path, file), token, file=path, port=arguments.port)))
    return 0


def _approved_settings(path: Path, file: Settings) -> Settings:
    """Return the settings to start with: the file's, or the last confirmed ones if the file's changes are not approved.

    At a terminal, ask. A supervisor that restarts the bot after a crash can't answer, nor can a bot that replaces
    another one: then an owner is asked in Discord.
    """
    before = config.confirmed_configs.settings(path)
    loosened = [each for each in config.differences(before, file) if each.loosens] if before else []
    if before is not None and loosened:
        said = "\n".join(f"! {format_full(each)}" for each in loosened)
        typed = KEPT_ENV not in os.environ and sys.stdin.isatty() and sys.stderr.isatty()
        if not (typed and confirm(f"{path} has changed and now grants more access:\n{said}\nApply these changes?")):
            waits = "; ".join(map(format_masked, loosened))
            log.warning(
                "The previous configuration stays in effect; these changes need an owner's approval: %s.", waits
            )
            return before
    config.confirmed_configs.confirm(path, file)
    return file
