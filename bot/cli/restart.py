"""`claude-discord restart`: restart the bot with the newest code and configuration; Claude keeps working."""

import argparse
import time

from bot.cli.output import print_json, print_note
from bot.cli.running_bot import bot_client
from bot.errors import NotDone
from bot.local_api.client import BotClient
from bot.local_api.owner_protocol import RESTART_ROUTE, Health, RestartAnswer
from bot.text.count import count

RESTART_WITHIN = 90.0
PAUSE = 0.1


def execute(arguments: argparse.Namespace) -> int:
    bot = bot_client(arguments)
    leaving = RestartAnswer.model_validate(bot.post(RESTART_ROUTE))
    if leaving.waiting:
        changes = count(leaving.waiting, "configuration change")
        print_note(f"Waiting for an owner's approval: {changes}. Run `claude-discord reload`.")
    began = time.monotonic()
    back = _wait_for_restart(bot, leaving.boot)
    took = time.monotonic() - began
    if arguments.json:
        print_json({"boot": back.boot, "kept": leaving.kept, "seconds": round(took, 3)})
    else:
        kept = count(leaving.kept, "Claude process", "Claude processes")
        print(f"The bot restarted in {took:.1f} s; {kept} kept running.")
    return 0


def _wait_for_restart(bot: BotClient, before: str) -> Health:
    deadline = time.monotonic() + RESTART_WITHIN
    while time.monotonic() < deadline:
        health = bot.health()
        if health is not None and health.boot != before and health.ok:
            return health
        time.sleep(PAUSE)
    raise NotDone(f"The bot did not come back within {RESTART_WITHIN:g} s; see its log.")
