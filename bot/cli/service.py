"""`claude-discord service`: show, install or remove the service that starts the bot with the machine."""

import argparse

from bot.cli.config_path import named
from bot.cli.output import json_of
from bot.errors import ConfigError
from bot.setup import service


def go(arguments: argparse.Namespace) -> int:
    kind = arguments.kind or service.native()
    if kind is None:
        raise ConfigError("This machine has neither systemd nor launchd; --kind shows what one of them would get.")
    unit = service.unit(kind, named(arguments).expanduser().resolve())
    if arguments.action == "show":
        _tell(arguments, unit, [unit.text.rstrip()])
        return 0
    if kind != service.native():
        raise ConfigError(f"This machine has no {kind}.")
    said = service.install(unit, replace=arguments.yes) if arguments.action == "install" else service.remove(unit)
    _tell(arguments, unit, said)
    return 0


def _tell(arguments: argparse.Namespace, unit: service.Unit, said: list[str]) -> None:
    if arguments.json:
        json_of({"kind": unit.kind, "file": str(unit.file), "text": unit.text, "said": said})
    else:
        print("\n".join(said))
