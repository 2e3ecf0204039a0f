"""`claude-discord sessions`: what runs, what waits for you, what is asleep."""

import argparse
import time

from bot.cli.output import line, write_json
from bot.cli.running_bot import bot_client
from bot.local_api.owner_protocol import SESSIONS_ROUTE, SessionInfo, SessionsAnswer

MARKS = {"waiting": "waits for you"}
"""What is said in other words than its own."""


def go(arguments: argparse.Namespace) -> int:
    found = SessionsAnswer.model_validate(bot_client(arguments).get(SESSIONS_ROUTE))
    if arguments.json:
        write_json(found)
    elif not found.sessions:
        print("No session is awake. Write in a project's channel, or use `claude-discord say`.")
    else:
        now = time.time()
        for session in found.sessions:
            print(
                "  ".join(
                    filter(
                        None, (str(session.thread), f"{session.project:12}", _doing(session, now), line(session.title))
                    )
                )
            )
    return 0


def _doing(session: SessionInfo, now: float) -> str:
    text = MARKS.get(session.doing, session.doing)
    if session.waits_for:
        text += f" ({', '.join(line(tool) for tool in session.waits_for)})"
    elif session.since is not None:
        text += f" for {_span(now - session.since)}"
    if session.queued:
        text += f", {session.queued} queued"
    return f"{text:24}"


def _span(seconds: float) -> str:
    minutes, rest = divmod(int(max(seconds, 0)), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours} h {minutes} min" if hours else f"{minutes} min" if minutes else f"{rest} s"
