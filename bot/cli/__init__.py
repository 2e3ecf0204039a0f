"""The command `claude-discord`."""

import importlib
import os
import sys

from bot.cli.arguments import parser
from bot.errors import BotError

INTERRUPTED = 130
"""What a shell makes of Ctrl-C."""


def main() -> None:
    """Run the command; what went wrong is one text on stderr, and the exit status tells what kind it was."""
    try:
        arguments = parser().parse_args()
        # Only the verb's own module is loaded: hikari alone takes half a second, and `sessions` needs none of it.
        verb = importlib.import_module(f"bot.cli.{arguments.verb or 'run'}")
        status = verb.go(arguments)
        sys.stdout.flush()
        sys.exit(status)
    except BotError as error:
        _leave([error])
    except BaseExceptionGroup as group:
        known, rest = group.split(BotError)
        if known is None or rest is not None:
            raise
        _leave(_leaves(known))
    except KeyboardInterrupt:
        sys.exit(INTERRUPTED)
    except BrokenPipeError:  # `claude-discord audit | head`: whoever read has had enough
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())  # or Python would complain as it leaves
        sys.exit(1)


def _leave(errors: list[BotError]) -> None:
    print("\n".join(str(error) for error in errors), file=sys.stderr)
    sys.exit(max(error.status for error in errors))


def _leaves(group: BaseExceptionGroup[BotError]) -> list[BotError]:
    return [
        leaf
        for error in group.exceptions
        for leaf in (_leaves(error) if isinstance(error, BaseExceptionGroup) else [error])
    ]
