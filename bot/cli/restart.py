"""`claude-discord restart`: the bot starts anew, with the newest code and configuration; Claude's turns go on."""

import argparse
import time

from bot.cli.output import json_of, note
from bot.cli.running_bot import bot_client
from bot.errors import NotDone
from bot.local_api.client import BotClient
from bot.local_api.owner_protocol import RESTART_ROUTE, Health, RestartAnswer

BACK_WITHIN = 90.0
PAUSE = 0.1


def go(arguments: argparse.Namespace) -> int:
    bot = bot_client(arguments)
    leaving = RestartAnswer.model_validate(bot.post(RESTART_ROUTE))
    if leaving.waiting:
        note(f"{leaving.waiting} change(s) of the configuration wait for an owner; `claude-discord reload` shows them.")
    began = time.monotonic()
    back = _back(bot, leaving.boot)
    took = time.monotonic() - began
    if arguments.json:
        json_of({"boot": back.boot, "kept": leaving.kept, "seconds": round(took, 3)})
    else:
        print(f"The bot is back after {took:.1f} s; {leaving.kept} process(es) of Claude's went on meanwhile.")
    return 0


def _back(bot: BotClient, before: str) -> Health:
    deadline = time.monotonic() + BACK_WITHIN
    while time.monotonic() < deadline:
        health = bot.health()
        if health is not None and health.boot != before and health.ok:
            return health
        time.sleep(PAUSE)
    raise NotDone(f"The bot has not come back within {BACK_WITHIN:g} s; its log says why.")
