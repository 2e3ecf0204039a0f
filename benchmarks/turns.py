"""Measures the time from a message to the answer's first word, with the real `claude`: warm, cold, after typing."""

import asyncio
import time
from pathlib import Path

from benchmarks.cli import TEXT, bare, find, one_shot, resumed
from benchmarks.figures import Figure, Outcome, Size, beside, p50
from benchmarks.stage import BOUND, Bot, Stage, Watch, bot, stage, watching
from sandbox.discord import DiscordChannel
from sandbox.messages_api.server import serve

BREATH = 2.6
"""Seconds between two messages of a person: the bot spaces edits by 1.2 s, and the turn before ends with one or two."""
TYPING = 2.0
IDLE = 0.06
"""Minutes until an idle process is ended, where the benchmark needs that: longer than a person types."""


class Talk:
    """A thread, and a person who writes in it and waits for answers."""

    def __init__(self, place: Stage, watch: Watch, thread: DiscordChannel) -> None:
        self.place = place
        self.watch = watch
        self.thread = thread
        self._number = 0

    async def say(self) -> float:
        """Write a message; return the seconds until the first word of the answer was in Discord."""
        self._number += 1
        text = f"message-{self._number}."
        start = time.time()
        await self.place.ada.write(self.thread, text)
        seen = await self.watch.until(lambda seen: f"You said: {text[:9]}" in seen.text and seen.at >= start)
        return seen.at - start


async def measure(size: Size) -> Outcome:
    find()
    samples = {**await warm(size.of(8, 3)), **await cold(size.of(4, 2))}
    ten = await conversation(size.of(10, 4))
    warm_ms, cold_ms = p50(samples["warm"]), p50(samples["cold"])
    warm_floor, cold_floor = p50(samples["warm, by stdin"]), p50(samples["claude -p"])
    typed = p50(samples["typed"])
    ours, others = ten
    figures = (
        beside("warm turn, message → first text", warm_ms, warm_floor, "ms", "a warm claude by stdin", most=1.25),
        Figure("of it: what the bot adds", warm_ms - warm_floor, "ms", None, "", warm_ms - warm_floor, "ms"),
        beside("after idle, typed for 2 s → first text", typed, warm_ms, "ms", "the warm turn", most=1.5),
        beside("after idle, cold → first text", cold_ms, cold_floor, "ms", "claude -p, no MCP server", most=1.6),
        Figure(
            f"a conversation of {size.of(10, 4)} messages",
            ours,
            "s",
            others,
            "claude -p --resume for each",
            others / ours,
            "× faster",
            least=5,
        ),
    )
    return Outcome(figures, samples=samples)


async def warm(count: int) -> dict[str, list[float]]:
    """Measure warm turns of the bot and of a bare claude, alternating, in milliseconds."""
    ours: list[float] = []
    floor: list[float] = []
    async with stage() as place, serve() as api:
        environment = api.environment(_home(place.folder, "bare"))
        async with (
            bot(place, (str(find()),), api.environment(_home(place.folder, "bot"))),
            bare(place.folder, environment, "--input-format", "stream-json") as claude,
        ):
            with watching(place) as watch:
                talk = await _opened(place, watch)
                claude.say("hello")
                await claude.until(b'"type":"result"')
                for number in range(count):
                    await asyncio.sleep(BREATH)
                    ours.append(await talk.say() * 1000)
                    start = time.perf_counter()
                    claude.say(f"message {number}")
                    floor.append((await claude.until(TEXT) - start) * 1000)
                    await claude.until(b'"type":"result"')
    return {"warm": ours, "warm, by stdin": floor}


async def cold(count: int) -> dict[str, list[float]]:
    """Measure first messages after the process has ended, cold and after typing, compared with `claude -p`."""
    found: dict[str, list[float]] = {"cold": [], "typed": [], "claude -p": []}
    async with stage() as place, serve() as api:
        environment = api.environment(_home(place.folder, "bare"))
        async with bot(
            place, (str(find()),), api.environment(_home(place.folder, "bot")), idle_minutes=IDLE
        ) as running:
            with watching(place) as watch:
                talk = await _opened(place, watch)
                for _ in range(count):
                    await _let_go(running)
                    found["cold"].append(await talk.say() * 1000)
                    await _let_go(running)
                    await place.ada.typing(talk.thread)
                    await asyncio.sleep(TYPING)
                    found["typed"].append(await talk.say() * 1000)
                    first, _ = await one_shot(place.folder, environment, "hello")
                    found["claude -p"].append(first * 1000)
    return found


async def conversation(count: int) -> tuple[float, float]:
    """Return the seconds of waiting in a conversation of this many messages, with the bot and with a process each."""
    async with stage() as place, serve() as api:
        others = await resumed(place.folder, api.environment(_home(place.folder, "bare")), count)
        async with bot(place, (str(find()),), api.environment(_home(place.folder, "bot"))):
            with watching(place) as watch:
                start = time.time()
                talk = await _opened(place, watch)
                ours = time.time() - start
                for _ in range(count - 1):
                    await asyncio.sleep(BREATH)
                    ours += await talk.say()
    return ours, others


async def _opened(place: Stage, watch: Watch) -> Talk:
    thread = await place.opened("hello")
    await watch.until(lambda seen: "You said: hello" in seen.text)
    return Talk(place, watch, thread)


async def _let_go(running: Bot) -> None:
    """Wait until the bot has no process."""
    async with asyncio.timeout(BOUND):
        while running.process.children():  # noqa: ASYNC110 - there are no events for the children of another process
            await asyncio.sleep(0.05)


def _home(folder: Path, name: str) -> Path:
    home = folder / "homes" / name
    home.mkdir(parents=True, exist_ok=True)
    return home
