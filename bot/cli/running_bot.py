"""Finds the running bot, for the commands that talk to it."""

import argparse
from pathlib import Path

from bot import config
from bot.cli.config_path import find_config
from bot.local_api.client import BotClient


def state_folder(arguments: argparse.Namespace) -> Path:
    return state_folder_of(find_config(arguments))


def state_folder_of(path: Path) -> Path:
    """Return the state folder of the configuration in effect: a change in the file may not be approved yet."""
    before = config.confirmed_configs.settings(path)
    return before.state if before else config.state_of(path)


def bot_client(arguments: argparse.Namespace) -> BotClient:
    return BotClient(state_folder(arguments))
