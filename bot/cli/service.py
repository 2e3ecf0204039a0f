"""`claude-discord service`: show, install or remove the service that starts the bot when the machine starts."""

import argparse

from bot.cli.config_path import find_config
from bot.cli.output import print_json
from bot.errors import ConfigError
from bot.setup import service


def execute(arguments: argparse.Namespace) -> int:
    kind = arguments.kind or service.service_manager()
    if kind is None:
        raise ConfigError("This machine has neither systemd nor launchd. Pass --kind to see the file for one of them.")
    unit = service.unit(kind, find_config(arguments).expanduser().resolve())
    if arguments.action == "show":
        _print_result(arguments, unit, [unit.text.rstrip()])
        return 0
    if kind != service.service_manager():
        raise ConfigError(f"This machine has no {kind}. Leave out --kind.")
    said = service.install(unit, replace=arguments.yes) if arguments.action == "install" else service.remove(unit)
    _print_result(arguments, unit, said)
    return 0


def _print_result(arguments: argparse.Namespace, unit: service.Unit, said: list[str]) -> None:
    if arguments.json:
        print_json({"kind": unit.kind, "file": str(unit.file), "text": unit.text, "said": said})
    else:
        print("\n".join(said))
