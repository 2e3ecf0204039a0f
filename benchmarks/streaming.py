"""Measures twenty threads that stream at the same time: the bot's CPU time, and how old the newest text is."""

import asyncio
import re
import time
from itertools import pairwise

from benchmarks.figures import Figure, Outcome, Size, p50
from benchmarks.stage import Seen, Stage, Watch, bot, stage, watching
from sandbox.discord import DiscordChannel

STAMP = re.compile(r"\[(\d+\.\d+)\]")
PACE = 0.1
"""Seconds between two pieces of text: some 150 tokens a second in each thread."""


async def measure(size: Size) -> Outcome:
    threads, seconds = size.of(20, 6), size.of(60, 12)
    async with stage(limits=True) as place, bot(place) as running:
        with watching(place) as watch:
            opened = await _open(place, watch, threads)
            before = sum(running.process.cpu_times()[:2])
            started = time.time()
            for thread in opened:
                await place.ada.write(thread, f"stream {seconds} {PACE}")
            seen = await _watch(watch, started + seconds)
            cpu = (sum(running.process.cpu_times()[:2]) - before) / (time.time() - started) * 100
        refused = sum(each.status == 429 for each in place.discord.requests)
    ages = [age for thread in opened for age in _ages([each for each in seen if each.message.channel is thread])]
    name = f"{threads} threads streaming for {seconds} s"
    figures = (
        Figure(f"{name}: CPU of the bot", cpu, "% of a core", None, "", cpu, "%", most=35),
        Figure(f"{name}: oldest newest text", max(ages), "s", None, "", max(ages), "s", most=3),
        Figure(f"{name}: refused by Discord's limits (429)", refused, "", None, "", refused, "", most=0),
    )
    return Outcome(figures, samples={"ages": [p50(ages), max(ages)]})


async def _open(place: Stage, watch: Watch, count: int) -> list[DiscordChannel]:
    """Open the threads first: Discord accepts five in five seconds."""
    opened = []
    for number in range(count):
        opened.append(await place.opened(f"hello {number}"))
        await watch.until(lambda seen: "You said" in seen.text)
    return opened


async def _watch(watch: Watch, end: float) -> list[Seen]:
    """Collect the messages that the bot shows until then."""
    found: list[Seen] = []
    while (left := end - time.time()) > 0:
        try:
            found.append(await watch.until(lambda seen: bool(STAMP.search(seen.text)), within=left))
        except TimeoutError:
            break
    await asyncio.sleep(0)
    return found


def _ages(seen: list[Seen]) -> list[float]:
    """Return how old the newest text was each time newer text replaced it."""
    stamps = [(each.at, max(map(float, STAMP.findall(each.text)))) for each in seen]
    return [after - newest for (_, newest), (after, _) in pairwise(stamps)]
