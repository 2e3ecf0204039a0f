"""`claude-discord init`: set everything up, from the bot's token to the first message."""

import argparse
import asyncio
import os
import shlex
from pathlib import Path

from bot import config
from bot.cli.config_path import known
from bot.cli.doctor import diagnose
from bot.setup import service
from bot.setup.dialog import Dialog
from bot.setup.init_steps import InitOptions, initialize

API_VARIABLE = "CLAUDE_DISCORD_API"
"""Another Discord than discord.com: the sandbox's."""


def go(arguments: argparse.Namespace) -> int:
    path = (arguments.config or config.users_file()).expanduser().resolve()
    dialog = Dialog(as_json=arguments.json, always_yes=arguments.yes)
    options = InitOptions(
        path=path,
        token_on_stdin=arguments.token_stdin,
        folder=arguments.folder,
        project=arguments.name,
        user=arguments.user,
        channel=arguments.channel,
        wait=arguments.wait,
        api=arguments.api or os.environ.get(API_VARIABLE) or None,
    )
    asyncio.run(initialize(options, dialog))
    config.confirmed_configs.use(path)
    served = _served(arguments, path, dialog)
    dialog.tell("")
    status = asyncio.run(diagnose(path, as_json=arguments.json))
    if not served:
        found = (here := known()) is not None and here.resolve() == path
        dialog.tell(
            "\nStart the bot with: claude-discord run" + ("" if found else f" --config {shlex.quote(str(path))}")
        )
    return status


def _served(arguments: argparse.Namespace, path: Path, dialog: Dialog) -> bool:
    """Offer a service, where this machine has something that runs one; says whether there is one now."""
    kind = service.native()
    if kind is None or arguments.service is False:
        return False
    wanted = arguments.service or (
        dialog.interactive and dialog.yes(f"Start the bot with the machine, as a {kind} service?")
    )
    if wanted:
        unit = service.unit(kind, path)
        for line in service.install(unit, replace=arguments.yes or bool(arguments.service)):
            dialog.tell(line)
        dialog.tell("", service=str(unit.file))
    return bool(wanted)
