"""The command `claude-discord`."""

import gc
import importlib
import os
import sys

from bot.cli.arguments import parser
from bot.errors import BotError

INTERRUPTED = 130
"""The exit status that a shell reports for Ctrl-C."""


def main() -> None:
    """Run the command; print errors on stderr and exit with the status of their kind."""
    try:
        arguments = parser().parse_args()
        # Only the verb's own module is loaded: hikari alone takes half a second, and `sessions` needs none of it.
        gc.disable()  # importing creates many objects and no garbage; this saves 8 % of the bot's start
        verb = importlib.import_module(f"bot.cli.{arguments.verb or 'run'}")
        gc.freeze()
        gc.enable()
        status = verb.execute(arguments)
        sys.stdout.flush()
        sys.exit(status)
    except BotError as error:
        _exit([error])
    except BaseExceptionGroup as group:
        known, rest = group.split(BotError)
        if known is None or rest is not None:
            raise
        _exit(_flatten(known))
    except KeyboardInterrupt:
        sys.exit(INTERRUPTED)
    except BrokenPipeError:  # `claude-discord audit | head`: the reader has closed the pipe
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())  # or Python would report an error on exit
        sys.exit(1)


def _exit(errors: list[BotError]) -> None:
    print("\n".join(str(error) for error in errors), file=sys.stderr)
    sys.exit(max(error.status for error in errors))


def _flatten(group: BaseExceptionGroup[BotError]) -> list[BotError]:
    return [
        leaf
        for error in group.exceptions
        for leaf in (_flatten(error) if isinstance(error, BaseExceptionGroup) else [error])
    ]
