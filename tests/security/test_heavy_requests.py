"""Tests that one large or nasty request keeps nobody else from answering theirs."""

import asyncio
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path

import pytest

from sandbox.discord import DiscordChannel
from sandbox.scripts.script import Say, Use, script
from tests.fixtures.bot_setup import BotSetup, buttons
from tests.fixtures.discord_server import DiscordServer
from tests.fixtures.scripted_setup import scripted

DISCORD_WAITS = 3.0
"""Discord's time limit in seconds for a first response to a press or a command; then the person sees a failure."""
AT_ONCE = 2.0
"""Longest CPU time in seconds that others may have to wait; the sandbox's Discord uses the same loop."""
HEAVY: dict[str, Use] = {
    "a file of addresses with passwords": Use("Write", {"file_path": "urls.txt", "content": "://a:" * 40_000}),
    "a megabyte of addresses": Use("Write", {"file_path": "urls.txt", "content": "://a:" * 200_000}),
    "seven megabytes of lines": Use("Write", {"file_path": "lines.txt", "content": "a plain line of text\n" * 350_000}),
    "lines in the place of others": Use("Write", {"file_path": "old.txt", "content": "a line of text\n" * 350_000}),
    "one line of seven megabytes": Use("Write", {"file_path": "line.txt", "content": "word " * 1_400_000}),
    "hebrew": Use("Write", {"file_path": "hebrew.txt", "content": "אב גד " * 300_000}),
    "marks on marks": Use("Write", {"file_path": "marks.txt", "content": "a\u0301\u0302" * 500_000}),
    "nothing but blanks": Use("Write", {"file_path": "blank.txt", "content": " \n" * 1_500_000}),
    "one letter everywhere": Use(
        "Edit", {"file_path": "old.txt", "old_string": "b", "new_string": "a" * 500_000, "replace_all": True}
    ),
    "sed with many blanks": Use("Bash", {"command": "sed '" + " " * 12_000 + "x' made.txt"}),
    "a long pipeline": Use("Bash", {"command": "cat made.txt" + " | sort" * 6_000 + " > sorted.txt"}),
    "many paths for a tool": Use(
        "mcp__files__move", {"paths": [f"/srv/{number}/.ssh/id_rsa" for number in range(100_000)]}
    ),
    "deeply nested arguments": Use("mcp__files__move", {"path": "x", "more": [[["y" * 10] * 200] * 200] * 20}),
    "a long plan": Use("ExitPlanMode", {"plan": "# Step\n- `do` it || so\n\n" * 100_000}),
    "a long question": Use(
        "AskUserQuestion",
        {"questions": [{"question": "\n \u00a0" * 500_000 + "?", "options": [{"label": "x" * 500_000}] * 2}]},
    ),
}
SCRIPTS = {name: script([use], [Say("Went on.")]) for name, use in HEAVY.items()} | {
    "small": script([Use("Bash", {"command": "touch small.txt"})], [Say("Done.")])
}


@dataclass
class Watch:
    """The longest CPU time that the loop's thread spent on one task."""

    longest: float = 0.0


@asynccontextmanager
async def watched() -> AsyncIterator[Watch]:
    """Watch the event loop inside the block, without counting the time that other programs take."""
    watch = Watch()

    async def look() -> None:
        before = time.thread_time()
        while True:
            await asyncio.sleep(0.005)
            now = time.thread_time()
            watch.longest, before = max(watch.longest, now - before), now

    looking = asyncio.create_task(look())
    try:
        yield watch
    finally:
        looking.cancel()


async def answered_in_time(setup: BotSetup, thread: DiscordChannel) -> None:
    async with asyncio.timeout(DISCORD_WAITS):
        await setup.ada.command(thread, "pending")


@pytest.mark.parametrize("name", HEAVY)
async def test_others_are_answered_while_a_heavy_request_becomes_a_card(
    discord_server: DiscordServer, tmp_path: Path, name: str
) -> None:
    setup = scripted(discord_server, tmp_path, SCRIPTS)
    (setup.project / "old.txt").write_text("b line\n" * 100_000, encoding="utf-8")
    async with setup.bot():
        calm = await setup.say("small")
        card = await setup.card(calm, "touch small.txt")
        heavy = await setup.say(name)
        async with watched() as watch:
            shown = asyncio.ensure_future(setup.card(heavy, ""))
            while not shown.done():
                await answered_in_time(setup, calm)
                await asyncio.wait({shown}, timeout=0.05)
            async with asyncio.timeout(DISCORD_WAITS):
                await setup.ada.click(card, "Allow")
            no = next(label for label in buttons(await shown) if label in ("Deny", "Keep planning…", "Skip"))
            async with asyncio.timeout(DISCORD_WAITS):
                await setup.ada.click(await shown, no)
        print(f"{name}: {watch.longest * 1000:.0f} ms at most")  # noqa: T201 - a figure to be read with -s
        assert watch.longest < AT_ONCE
        assert "Allow" not in buttons(await shown) or no == "Keep planning…"
