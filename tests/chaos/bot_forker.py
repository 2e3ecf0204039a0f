"""Imports the bot once and forks a process for each line of its input, so that a start is fast."""

import asyncio
import json
import logging
import os
import signal
import sys
from pathlib import Path

from bot import config
from bot.app import Start, run
from tests.chaos import disabled_mechanisms

WITHOUT = "CHAOS_WITHOUT"
"""Names the mechanism that is switched off in this forker's bots."""


log = logging.getLogger(__name__)


def main() -> None:
    disabled_mechanisms.switch_off(os.environ.get(WITHOUT, ""))
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)  # the kernel reaps the children
    for line in sys.stdin:
        order = json.loads(line)
        child = os.fork()
        if child == 0:
            os._exit(_live(order))
        sys.stdout.write(f"{child}\n")
        sys.stdout.flush()


def _live(order: dict[str, str]) -> int:
    signal.signal(signal.SIGCHLD, signal.SIG_DFL)
    file = os.open(order["log"], os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
    null = os.open(os.devnull, os.O_RDWR)
    for number, target in ((0, null), (1, file), (2, file)):
        os.dup2(target, number)
    logging.basicConfig(level=logging.INFO, format=f"%(asctime)s {os.getpid()} %(levelname)s %(message)s")
    logging.getLogger("hikari").setLevel(logging.WARNING)
    logging.getLogger("lightbulb").setLevel(logging.WARNING)
    try:
        asyncio.run(run(Start(config.load(Path(order["config"])), order["token"])))
    except BaseException:
        log.exception("The bot ended")
        return 1
    return 0


if __name__ == "__main__":
    main()
