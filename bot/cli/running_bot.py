"""What the verbs share that ask the running bot."""

import argparse
from pathlib import Path

from bot import config
from bot.cli.config_path import named
from bot.local_api.client import BotClient


def state_folder(arguments: argparse.Namespace) -> Path:
    """Find the bot's state folder."""
    return state_of(named(arguments))


def state_of(path: Path) -> Path:
    """The same, of a configuration: the one that counted last, because a change of it may wait for an owner."""
    before = config.confirmed_configs.settings(path)
    return before.state if before else config.state_of(path)


def bot_client(arguments: argparse.Namespace) -> BotClient:
    return BotClient(state_folder(arguments))
