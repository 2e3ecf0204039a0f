"""Measures the memory (PSS) of the bot, an idle conversation and `permission_mcp`."""

import asyncio

import psutil

from benchmarks.figures import Figure, Outcome, Size, beside, p50
from benchmarks.mcp_client import OURS, SMALLEST, started
from benchmarks.stage import BOUND, Bot, Stage, Watch, bot, stage, watching
from benchmarks.start import bare

MB = 1_000_000
IDLE = 0.02
"""Minutes until an idle process is ended here; the conversation stays."""


def pss(process: psutil.Process) -> float:
    return float(process.memory_full_info().pss)


async def converse(place: Stage, watch: Watch, running: Bot, count: int) -> None:
    """Hold this many conversations, then wait until their processes have ended."""
    for number in range(count):
        await place.opened(f"hello {number}")
        await watch.until(lambda seen: "You said" in seen.text)
    async with asyncio.timeout(BOUND):
        while running.process.children():  # noqa: ASYNC110 - there are no events for the children of another process
            await asyncio.sleep(0.05)


async def measure(size: Size) -> Outcome:
    first, more = size.of(10, 5), size.of(40, 15)
    async with stage() as place:
        async with bare(place) as (process, _):
            await asyncio.sleep(1)  # until it has freed the memory that it needed only to start
            floor = pss(process)
        async with bot(place, idle_minutes=IDLE) as running:
            await asyncio.sleep(1)
            ours = pss(running.process)
            with watching(place) as watch:
                await converse(place, watch, running, first)
                before = pss(running.process)
                await converse(place, watch, running, more)
                after = pss(running.process)
    servers = [await _server_memory() for _ in range(size.of(3, 1))]
    each = (after - before) / more / 1000
    figures = (
        beside("memory of the bot", ours / MB, floor / MB, "MB", "a bare hikari bot", most=1.3),
        Figure("memory of each idle conversation", each, "kB", 0, "nothing", each, "kB", most=50),
        beside(
            "memory of each permission_mcp",
            p50([a for a, _ in servers]) / MB,
            p50([b for _, b in servers]) / MB,
            "MB",
            "the smallest server that `mcp` allows",
            most=1.1,
        ),
    )
    return Outcome(figures)


async def _server_memory() -> tuple[float, float]:
    """Measure both at the same time, so that they share the interpreter's pages equally."""
    async with started(OURS) as ours, started(SMALLEST) as smallest:
        for server in (ours, smallest):
            await server.tools()
            await server.use("no such tool")  # by now everything is loaded
        return pss(psutil.Process(ours.process.pid)), pss(psutil.Process(smallest.process.pid))
