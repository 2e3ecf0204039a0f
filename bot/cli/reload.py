"""`claude-discord reload`: what the changed configuration would loosen, and a yes to it."""

import argparse

from bot.cli.output import line, write_json
from bot.cli.running_bot import bot_client
from bot.local_api.owner_protocol import RELOAD_ROUTE, ReloadAnswer, ReloadRequest, SettingChange
from bot.setup.dialog import Dialog

NOBODY_TO_ASK = "There is nobody to ask; look at the changes, and pass --yes."
UP_TO_DATE = "What the file says is in force."


def go(arguments: argparse.Namespace) -> int:
    bot = bot_client(arguments)
    dialog = Dialog(as_json=arguments.json, always_yes=arguments.yes)
    waiting = ReloadAnswer.model_validate(bot.post(RELOAD_ROUTE, ReloadRequest()))
    if not waiting.name:
        dialog.tell(UP_TO_DATE)
    else:
        for change in waiting.changes:
            dialog.tell(told(change))
        if not (arguments.json and not arguments.yes) and dialog.yes("Take this over?", otherwise=NOBODY_TO_ASK):
            waiting = ReloadAnswer.model_validate(bot.post(RELOAD_ROUTE, ReloadRequest(take=waiting.name)))
        dialog.tell("It is in force." if waiting.taken else "What was in force stays in force.")
    if arguments.json:
        write_json(waiting)
    return 0 if waiting.taken or not waiting.name else 1


def told(change: SettingChange) -> str:
    """Write a change on one line."""
    mark = "!" if change.loosens else " "
    return f"{mark} {line(change.setting)}: {line(change.before)} → {line(change.after)}"
