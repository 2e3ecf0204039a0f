"""`claude-discord stop NAME`: interrupt a session, or all of a project."""

import argparse

from bot.cli.output import line, write_json
from bot.cli.running_bot import bot_client
from bot.local_api.owner_protocol import STOP_ROUTE, StopAnswer, StopRequest


def go(arguments: argparse.Namespace) -> int:
    answer = StopAnswer.model_validate(bot_client(arguments).post(STOP_ROUTE, StopRequest(name=arguments.name)))
    if arguments.json:
        write_json(answer)
    else:
        for stopped in answer.stopped:
            print(f"{line(stopped.session.title)}: {stopped.sentence}")
    return 0
