"""The command `claude-discord`."""

import argparse
import asyncio
import logging
import sys
from pathlib import Path

from bot import config
from bot.errors import BotError, ConfigError

NOT_SET_UP = """\
No Discord bot token is configured. To try everything in the browser, with no account: `claude-discord sandbox`.
For Discord, create an application with a bot at https://discord.com/developers, put its token into `.env`,
copy claude-discord.example.toml to claude-discord.toml, put in your ids, and start again."""


def main() -> None:
    """Run the command; a mistake of the set-up is one text on stderr and status 2."""
    try:
        parser = _parser()
        arguments = parser.parse_args()
        if arguments.command == "sandbox":
            if arguments.config is not None:
                parser.error("the sandbox has a configuration of its own; leave --config out")
            _sandbox(arguments)
        elif arguments.folder is not None or arguments.scripted or arguments.no_open:
            parser.error("a folder, --scripted and --no-open belong to `claude-discord sandbox`")
        else:
            _run(arguments)
    except BotError as error:
        print(error, file=sys.stderr)
        sys.exit(2)
    except BaseExceptionGroup as group:
        known, rest = group.split(BotError)
        if known is None or rest is not None:
            raise
        print("\n".join(str(error) for error in _leaves(known)), file=sys.stderr)
        sys.exit(2)


def _leaves(group: BaseException) -> list[BaseException]:
    if isinstance(group, BaseExceptionGroup):
        return [leaf for error in group.exceptions for leaf in _leaves(error)]
    return [group]


def _port(text: str) -> int:
    if not text.isdecimal() or int(text) > 65535:
        raise argparse.ArgumentTypeError(f"{text} is not a port; choose one from 0 (any free one) to 65535")
    return int(text)


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="claude-discord", description="Run Claude Code on your machine; talk to it and answer it from Discord."
    )
    parser.add_argument(
        "command",
        nargs="?",
        choices=["run", "sandbox"],
        default="run",
        help="run: start the bot (the default); sandbox: try it in the browser, with no account",
    )
    parser.add_argument("folder", nargs="?", type=Path, help="sandbox: the project; a small sample by default")
    parser.add_argument("--scripted", action="store_true", help="sandbox: a script talks, even where claude could")
    parser.add_argument("--no-open", action="store_true", help="sandbox: print the address, open no browser")
    parser.add_argument("--config", type=Path, help="the configuration, instead of ./claude-discord.toml or the user's")
    parser.add_argument("--port", type=_port, help="the port of the endpoint on loopback; any free one by default")
    parser.add_argument("--verbose", action="store_true", help="say more on stderr")
    return parser


def _run(arguments: argparse.Namespace) -> None:
    path = arguments.config or config.find()
    token = config.secret(folder=path.parent) or config.secret()
    if token is None:
        raise ConfigError(NOT_SET_UP)
    settings = config.load(path)
    if arguments.port is not None:
        settings = settings.model_copy(update={"port": arguments.port})
    logging.basicConfig(
        level=logging.DEBUG if arguments.verbose else logging.INFO, format="%(asctime)s %(levelname)s %(message)s"
    )
    for noisy in ("hikari", "lightbulb"):
        logging.getLogger(noisy).setLevel(logging.INFO if arguments.verbose else logging.WARNING)
    from bot.app import Start, run  # noqa: PLC0415 - hikari takes half a second to import; mistakes are told before

    asyncio.run(run(Start(settings, token)))


def _sandbox(arguments: argparse.Namespace) -> None:
    from sandbox.run import run  # noqa: PLC0415 - who runs the bot needs none of it

    asyncio.run(run(arguments.folder, arguments.port or 0, not arguments.no_open, arguments.scripted))
