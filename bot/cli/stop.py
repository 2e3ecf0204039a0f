"""`claude-discord stop NAME`: interrupt a session, or all of a project."""

import argparse

from bot.admin.wire import STOP_ROUTE, StopAnswer, StopWish
from bot.cli.asking import door
from bot.cli.writing import line, write_json


def go(arguments: argparse.Namespace) -> int:
    answer = StopAnswer.model_validate(door(arguments).post(STOP_ROUTE, StopWish(name=arguments.name)))
    if arguments.json:
        write_json(answer)
    else:
        for stopped in answer.stopped:
            print(f"{line(stopped.session.title)}: {stopped.sentence}")
    return 0
