"""`claude-discord say PROJECT "prompt"`: send a prompt in a new thread; with --wait, print the answer."""

import argparse
import sys
import time
from collections.abc import Iterator

from bot.cli.output import print_model, print_note, write
from bot.cli.running_bot import bot_client
from bot.errors import NotRunning
from bot.local_api.client import BotClient
from bot.local_api.owner_protocol import FOLLOW_ROUTE, SAY_ROUTE, FollowRequest, PromptProgress, SayAnswer, SayRequest

RETURN_WITHIN = 60.0
"""Seconds that the bot may be gone in the middle of an answer; a restart takes much less."""
PAUSE = 0.2


def execute(arguments: argparse.Namespace) -> int:
    prompt = sys.stdin.read() if arguments.prompt == "-" else arguments.prompt
    bot = bot_client(arguments)
    said = SayAnswer.model_validate(bot.post(SAY_ROUTE, SayRequest(project=arguments.project, prompt=prompt)))
    if arguments.json:
        print_model(said)
    elif not arguments.wait:
        print(f"{said.thread}  {said.title}")
    return _wait(bot, said, as_json=arguments.json) if arguments.wait else 0


def _wait(bot: BotClient, said: SayAnswer, *, as_json: bool) -> int:
    waits_for: tuple[str, ...] = ()
    unfinished = False
    for piece in _progress(bot, FollowRequest(thread=said.thread, prompt=said.prompt)):
        if as_json:
            print_model(piece)
        else:
            write(piece.text)
            unfinished = not piece.text.endswith("\n") if piece.text else unfinished
            if piece.waits_for and piece.waits_for != waits_for:  # a restarted bot sends it again
                print_note("\n" * unfinished + f"[waiting for a decision in Discord: {', '.join(piece.waits_for)}]")
                unfinished = False
            waits_for = piece.waits_for
        if piece.outcome is not None:
            if not as_json:
                write("\n")
            if piece.outcome != "ok":
                print_note(piece.why)
            return 0 if piece.outcome == "ok" else 1
    return 1


def _progress(bot: BotClient, request: FollowRequest) -> Iterator[PromptProgress]:
    """Yield the progress until the end, even if the bot restarts: a restarted bot sends the turn from its beginning."""
    told = 0
    gone_since: float | None = None
    while True:
        skip = told
        try:
            for raw in bot.lines(FOLLOW_ROUTE, request):
                gone_since = None
                piece = PromptProgress.model_validate(raw)
                fresh = piece.text[skip:]
                skip = max(0, skip - len(piece.text))
                told += len(fresh)
                yield piece.model_copy(update={"text": fresh})
                if piece.outcome is not None:
                    return
        except NotRunning:
            gone_since = gone_since or time.monotonic()
            if time.monotonic() - gone_since > RETURN_WITHIN:
                raise
        time.sleep(PAUSE)
