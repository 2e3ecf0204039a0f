"""`claude-discord sessions`: list what is working, what is waiting for you, and what is idle."""

import argparse
import time

from bot.cli.output import one_line, print_model
from bot.cli.running_bot import bot_client
from bot.local_api.owner_protocol import SESSIONS_ROUTE, SessionInfo, SessionsAnswer
from bot.text.duration import duration

LABELS = {"waiting": "waiting for you"}
"""States that are shown in other words."""


def execute(arguments: argparse.Namespace) -> int:
    found = SessionsAnswer.model_validate(bot_client(arguments).get(SESSIONS_ROUTE))
    if arguments.json:
        print_model(found)
    elif not found.sessions:
        print("No session is active. Write in a project's channel, or run `claude-discord say`.")
    else:
        now = time.time()
        for session in found.sessions:
            print(
                "  ".join(
                    filter(
                        None,
                        (str(session.thread), f"{session.project:12}", _state(session, now), one_line(session.title)),
                    )
                )
            )
    return 0


def _state(session: SessionInfo, now: float) -> str:
    text = LABELS.get(session.doing, session.doing)
    if session.waits_for:
        text += f" ({', '.join(one_line(tool) for tool in session.waits_for)})"
    elif session.since is not None:
        text += f" for {duration(now - session.since)}"
    if session.queued:
        text += f", {session.queued} queued"
    return f"{text:24}"
