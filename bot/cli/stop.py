"""`claude-discord stop NAME`: interrupt a session, or all of a project."""

import argparse

from bot.cli.output import line, write_json
from bot.cli.running_bot import door
from bot.local_api.owner_protocol import STOP_ROUTE, StopAnswer, StopWish


def go(arguments: argparse.Namespace) -> int:
    answer = StopAnswer.model_validate(door(arguments).post(STOP_ROUTE, StopWish(name=arguments.name)))
    if arguments.json:
        write_json(answer)
    else:
        for stopped in answer.stopped:
            print(f"{line(stopped.session.title)}: {stopped.sentence}")
    return 0
