"""Measures a permission request without the person: from the CLI's call to the card, from the click to the answer."""

import asyncio
import json
import time
from dataclasses import dataclass
from pathlib import Path

from aiohttp import ClientSession, web

from benchmarks.figures import Curve, Figure, Outcome, Size, p50, p99
from benchmarks.mcp_client import SMALLEST, started
from benchmarks.stage import BOUND, Stage, Watch, bot, stage, watching
from benchmarks.stub_claude import CLOCK


@dataclass(frozen=True, slots=True)
class Trip:
    """One permission request, with times in milliseconds."""

    number: int
    """Its number in the turn."""
    to_card: float
    to_answer: float

    @property
    def whole(self) -> float:
        return self.to_card + self.to_answer


async def http_round_trips(count: int) -> list[float]:
    """Measure only an aiohttp server and client on loopback."""

    async def answer(request: web.Request) -> web.Response:
        await request.json()
        return web.json_response({"behavior": "allow"})

    app = web.Application()
    app.router.add_post("/", answer)
    runner = web.AppRunner(app, access_log=None)
    await runner.setup()
    try:
        await web.TCPSite(runner, "127.0.0.1", 0).start()
        url = f"http://127.0.0.1:{runner.addresses[0][1]}/"
        found = []
        async with ClientSession() as session:
            for _ in range(count):
                start = time.perf_counter()
                async with session.post(url, json={"tool_name": "Bash", "input": {"command": "ls"}}) as response:
                    await response.read()
                found.append((time.perf_counter() - start) * 1000)
        return found
    finally:
        await runner.cleanup()


async def mcp_round_trips(count: int) -> list[float]:
    """Measure an MCP server that answers immediately."""
    async with started(SMALLEST) as server:
        await server.tools()
        found = []
        for _ in range(count):
            start = time.perf_counter()
            await server.use("approve", tool_name="Bash", input={})
            found.append((time.perf_counter() - start) * 1000)
        return found


async def round_trips(turns: int, each: int) -> list[Trip]:
    """Make this many requests through the whole bot, in turns of this many requests each."""
    async with stage() as place:
        clock = place.folder / "clock.jsonl"
        async with bot(place, environment={CLOCK: str(clock)}):
            with watching(place) as watch:
                thread = await place.opened("hello")
                await watch.until(lambda seen: "You said" in seen.text)
                pressed = []
                for _ in range(turns):
                    await place.ada.write(thread, f"ask {each}")
                    pressed += [await press(place, watch) for _ in range(each)]
            asked = await written(clock, len(pressed))
    return [
        Trip(number % each, (card - one["asked"]) * 1000, (one["answered"] - click) * 1000)
        for number, (one, (card, click)) in enumerate(zip(asked, pressed, strict=True))
    ]


async def press(place: Stage, watch: Watch) -> tuple[float, float]:
    """Allow a request as soon as its card appears; return the times of the card and of the click."""
    card = await watch.until(lambda seen: seen.new and seen.buttons and seen.text.startswith("### Run"))
    click = time.time()
    await place.ada.click(card.message, "Allow")
    return card.at, click


async def written(clock: Path, count: int) -> list[dict[str, float]]:
    """Wait until this many requests have a line in the clock file."""
    async with asyncio.timeout(BOUND):
        while len(lines := clock.read_text(encoding="utf-8").splitlines()) < count:  # noqa: ASYNC110, ASYNC240
            await asyncio.sleep(0.01)  # another process writes it
    return [json.loads(line) for line in lines]


async def measure(size: Size) -> Outcome:
    turns = size.of(25, 5)
    floors = await floor(turns * 4)
    trips = await round_trips(turns, 8)
    floors += await floor(turns * 4)
    both = [trip.whole for trip in trips]
    about = "an aiohttp round trip and an MCP server that answers at once"
    to_card, to_answer = p50([trip.to_card for trip in trips]), p50([trip.to_answer for trip in trips])
    figures = [
        Figure("a permission without the person, p50", p50(both), "ms", p50(floors), about, p50(both), "ms", most=10),
        Figure("a permission without the person, p99", p99(both), "ms", p99(floors), about, p99(both), "ms", most=40),
        Figure("of it: tools/call → card at Discord, p50", to_card, "ms", None, "", to_card, "ms"),
        Figure("of it: click → answer at the CLI, p50", to_answer, "ms", None, "", to_answer, "ms"),
    ]
    curves = []
    if not size.small:
        long = await round_trips(1, 100)
        points = [(start + 5.0, p50([t.whole for t in long[start : start + 10]])) for start in range(0, 100, 10)]
        title = "A permission in a turn that already has cards"
        curves = [Curve("permission", title, "cards in the turn", "milliseconds", {"without the person": points})]
    samples = {"to card": [t.to_card for t in trips], "to answer": [t.to_answer for t in trips], "floor": floors}
    return Outcome(tuple(figures), tuple(curves), samples)


async def floor(count: int) -> list[float]:
    return [a + b for a, b in zip(await http_round_trips(count), await mcp_round_trips(count), strict=True)]
