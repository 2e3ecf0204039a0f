"""`claude-discord init`: set everything up, from the bot's token to the first message."""

import argparse
import asyncio
import os
import shlex
from pathlib import Path

from bot import config
from bot.cli.config_path import trusted_config
from bot.cli.doctor import print_findings
from bot.setup import service
from bot.setup.dialog import Dialog
from bot.setup.init_steps import InitOptions, initialize

API_VARIABLE = "CLAUDE_DISCORD_API"
"""Address of a Discord other than discord.com, such as the sandbox's."""


def execute(arguments: argparse.Namespace) -> int:
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
    served = _offer_service(arguments, path, dialog)
    dialog.tell("")
    status = asyncio.run(print_findings(path, as_json=arguments.json))
    if not served:
        found = (here := trusted_config()) is not None and here.resolve() == path
        dialog.tell(
            "\nStart the bot with: claude-discord run" + ("" if found else f" --config {shlex.quote(str(path))}")
        )
    return status


def _offer_service(arguments: argparse.Namespace, path: Path, dialog: Dialog) -> bool:
    """Offer to install a service if this machine can run one; return whether it was installed."""
    kind = service.service_manager()
    if kind is None or arguments.service is False:
        return False
    wanted = arguments.service or (
        dialog.interactive and dialog.yes(f"Start the bot when the machine starts, as a {kind} service?")
    )
    if wanted:
        unit = service.unit(kind, path)
        for line in service.install(unit, replace=arguments.yes or bool(arguments.service)):
            dialog.tell(line)
        dialog.tell("", service=str(unit.file))
    return bool(wanted)
