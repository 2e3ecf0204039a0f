"""Measures the bot's start with a thousand stored conversations, compared with a bare hikari bot."""

import os
import sys
import time
from contextlib import AbstractAsyncContextManager

import psutil

from benchmarks.figures import Outcome, Size, beside, p50
from benchmarks.stage import ROOT, Stage, bot, said_ready, stage
from bot.records import ConversationRecord
from bot.store import Store


def bare(place: Stage) -> AbstractAsyncContextManager[tuple[psutil.Process, float]]:
    """Run the bare bot in this Discord."""
    variables = {"DISCORD_TOKEN": place.discord.token, "DISCORD_API": place.discord.rest_url, "PYTHONPATH": str(ROOT)}
    return said_ready((sys.executable, "-m", "benchmarks.bare_bot"), {**os.environ, **variables})


def remember(place: Stage, count: int) -> None:
    """Write conversations to the state file as if they had taken place."""
    state = place.folder / "state"
    state.mkdir(mode=0o700, exist_ok=True)
    with Store.open(state / "state.sqlite3") as store:
        for number in range(count):
            record = ConversationRecord(10**17 + number, "demo", f"Conversation {number}", time.time(), f"s-{number}")
            store.add_conversation(record)


async def measure(size: Size) -> Outcome:
    ours: list[float] = []
    floor: list[float] = []
    async with stage() as place:
        remember(place, 1000)
        for each in range(size.of(7, 3) + 1):
            async with bare(place) as (_, bare_took):
                pass
            async with bot(place) as running:
                pass
            if each:  # the first start loads the files into the page cache
                floor.append(bare_took)
                ours.append(running.ready)
    figure = beside(
        "the bot, start to ready, 1,000 conversations stored",
        p50(ours),
        p50(floor),
        "s",
        "a bare hikari bot",
        most=1.5,
    )
    return Outcome((figure,), samples={"bot": ours, "bare": floor})
