"""`claude-discord stop NAME`: interrupt a session, or all sessions of a project."""

import argparse

from bot.cli.output import one_line, print_model
from bot.cli.running_bot import bot_client
from bot.local_api.owner_protocol import STOP_ROUTE, StopAnswer, StopRequest


def execute(arguments: argparse.Namespace) -> int:
    answer = StopAnswer.model_validate(bot_client(arguments).post(STOP_ROUTE, StopRequest(name=arguments.name)))
    if arguments.json:
        print_model(answer)
    else:
        for stopped in answer.stopped:
            print(f"{one_line(stopped.session.title)}: {stopped.sentence}")
    return 0
