"""Measures a thousand open requests in a hundred conversations, decided in random order."""

import asyncio
import json
import random
import time
from collections.abc import Callable, Coroutine
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from aiohttp import ClientSession, ClientTimeout, TCPConnector

from benchmarks.figures import Curve, Figure, Outcome, Size, p50, p99
from benchmarks.memory import MB, pss
from benchmarks.stage import BOUND, Bot, Stage, Watch, bot, stage, temporary_folder, watching
from bot.decisions.desk import Desk
from bot.permission_requests.permission_request import PermissionRequest, RequestOrigin
from bot.store import Store
from sandbox.discord import DiscordMessage
from shared.protocol import ADDRESS_ENV, ASK_ROUTE, TOKEN_ENV, Allow, Request

Ask = Callable[[int], Coroutine[Any, Any, float]]
"""Makes the request with this number; returns the time when its answer arrived."""


@dataclass(frozen=True)
class Growth:
    decisions: list[float]
    """Milliseconds from each click to its answer."""
    memory: list[tuple[float, float]]
    """The bot's memory in MB, by number of open requests."""


def request(number: int) -> Request:
    command = {"command": f"touch file-{number}.txt", "description": "Make a file"}
    return Request(tool_name="Bash", input=command, tool_use_id=f"toolu_{number}")


async def through_the_bot(conversations: int, each: int) -> Growth:
    async with stage() as place, bot(place) as running:
        for number in range(conversations):
            await place.opened(f"wait {number}")
        askers = await _configurations(running, conversations)
        connector = TCPConnector(limit=0)
        with watching(place) as watch:
            async with ClientSession(connector=connector, timeout=ClientTimeout(total=None)) as session:

                async def ask(number: int) -> float:
                    variables = askers[number % conversations]
                    url = Path(variables[ADDRESS_ENV]).read_text(encoding="utf-8").strip() + ASK_ROUTE  # noqa: ASYNC240
                    headers = {"Authorization": f"Bearer {variables[TOKEN_ENV]}", "Content-Type": "application/json"}
                    body = request(number).model_dump_json()
                    async with session.post(url, data=body, headers=headers) as response:
                        decision = await response.json()
                        assert decision["behavior"] == "allow", decision
                    return time.perf_counter()

                return await _pile_up(place, watch, running, ask, conversations * each)


async def _configurations(running: Bot, count: int) -> list[dict[str, str]]:
    """Read each run's configuration of the permission server from the file that `claude` reads."""
    async with asyncio.timeout(BOUND):
        while len(found := sorted((running.state / "runs").glob("*/mcp.json"))) < count:  # noqa: ASYNC110
            await asyncio.sleep(0.05)  # the bot writes them
    servers = [json.loads(path.read_text(encoding="utf-8"))["mcpServers"].values() for path in found]
    return [server["env"] for (server,) in servers]


async def _pile_up(place: Stage, watch: Watch, running: Bot, ask: Ask, count: int) -> Growth:
    """Open the requests a quarter at a time, then decide them one after another."""
    cards: dict[int, DiscordMessage] = {}
    answers: dict[int, asyncio.Task[float]] = {}
    memory = [(0.0, pss(running.process) / MB)]
    async with asyncio.TaskGroup() as tasks:
        for quarter in range(4):
            for number in range(count * quarter // 4, count * (quarter + 1) // 4):
                answers[number] = tasks.create_task(ask(number))
            while len(cards) < count * (quarter + 1) // 4:
                card = await watch.until(lambda seen: seen.new and seen.buttons and seen.text.startswith("### Run"))
                cards[int(card.text.partition("file-")[2].partition(".txt")[0])] = card.message
            memory.append((len(cards), pss(running.process) / MB))
        order = random.Random(8).sample(sorted(cards), len(cards))  # noqa: S311 - the same order in each run
        decisions = []
        for number in order:
            clicked = time.perf_counter()
            await place.ada.click(cards[number], "Allow")
            decisions.append((await answers[number] - clicked) * 1000)
    return Growth(decisions, memory)


async def through_the_desk(count: int) -> list[float]:
    """Do the same with only the desk and its file."""
    with temporary_folder() as folder, Store.open(folder / "state.sqlite3") as store:
        desk = Desk(store)
        tickets: dict[int, str] = {}
        answered: dict[int, float] = {}

        async def wait(number: int) -> None:
            origin, run = RequestOrigin("demo", "/project", 1), f"run-{number % 100}"
            asked = PermissionRequest.of(request(number), origin, conversation=number % 100, run=run)
            ticket = desk.ticket(asked)
            tickets[number] = ticket.id
            async with desk.open(ticket, lambda _: f"turn-{number}") as one:
                await one.decided()
                answered[number] = time.perf_counter()

        decisions = []
        async with asyncio.TaskGroup() as tasks:
            for number in range(count):
                tasks.create_task(wait(number))
            await asyncio.sleep(0)
            for number in random.Random(8).sample(range(count), count):  # noqa: S311 - the same order in each run
                decided = time.perf_counter()
                desk.decide(tickets[number], Allow(updatedInput=request(number).input), by=1)
                while number not in answered:  # noqa: ASYNC110 - the waiter runs as soon as this one yields
                    await asyncio.sleep(0)
                decisions.append((answered[number] - decided) * 1000)
        return decisions


async def measure(size: Size) -> Outcome:
    conversations, each = size.of(100, 10), 10
    floor = await through_the_desk(conversations * each)
    growth = await through_the_bot(conversations, each)
    took = growth.decisions
    memory = growth.memory
    first, last = memory[2][1] - memory[0][1], memory[4][1] - memory[2][1]
    about = "the same through the desk alone"
    name = f"{conversations * each:,} open requests"
    figures = (
        Figure(f"{name}, a decision, p50", p50(took), "ms", p50(floor), about, p50(took), "ms"),
        Figure(f"{name}, a decision, p99", p99(took), "ms", p99(floor), about, p99(took), "ms", most=100),
        Figure(
            f"{name}, memory of the second half", last, "MB", first, "of the first half", last / first, "×", most=1.5
        ),
    )
    curve = Curve("requests", "Memory with open requests", "open requests", "MB (PSS)", {"the bot": memory})
    return Outcome(figures, (curve,), {"decisions": took, "desk alone": floor})
