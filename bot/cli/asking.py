"""What the verbs share that ask the running bot."""

import argparse
from pathlib import Path

from bot import config
from bot.admin.door import Door
from bot.cli.configuration import named


def state_folder(arguments: argparse.Namespace) -> Path:
    """Find the bot's state folder; a file with a mistake elsewhere still names it."""
    return config.state_of(named(arguments))


def door(arguments: argparse.Namespace) -> Door:
    return Door(state_folder(arguments))
