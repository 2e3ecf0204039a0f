"""`claude-discord reload`: show and approve configuration changes that grant more access."""

import argparse

from bot.cli.output import one_line, print_model
from bot.cli.running_bot import bot_client
from bot.local_api.owner_protocol import RELOAD_ROUTE, ReloadAnswer, ReloadRequest, SettingChange
from bot.setup.dialog import Dialog

NO_TERMINAL = "Can't ask without a terminal. Review the changes, then pass --yes."
UP_TO_DATE = "The configuration is up to date."


def execute(arguments: argparse.Namespace) -> int:
    bot = bot_client(arguments)
    dialog = Dialog(as_json=arguments.json, always_yes=arguments.yes)
    waiting = ReloadAnswer.model_validate(bot.post(RELOAD_ROUTE, ReloadRequest()))
    if not waiting.name:
        dialog.tell(UP_TO_DATE)
    else:
        for change in waiting.changes:
            dialog.tell(format_change(change))
        if not (arguments.json and not arguments.yes) and dialog.yes("Apply these changes?", otherwise=NO_TERMINAL):
            waiting = ReloadAnswer.model_validate(bot.post(RELOAD_ROUTE, ReloadRequest(take=waiting.name)))
        dialog.tell("The changes are in effect." if waiting.taken else "Nothing was changed.")
    if arguments.json:
        print_model(waiting)
    return 0 if waiting.taken or not waiting.name else 1


def format_change(change: SettingChange) -> str:
    """Format a change as one line."""
    mark = "!" if change.loosens else " "
    return f"{mark} {one_line(change.setting)}: {one_line(change.before)} → {one_line(change.after)}"
