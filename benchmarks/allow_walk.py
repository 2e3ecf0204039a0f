"""Lists the functions of ours that a click on *Allow* calls until its reply is sent.

Run it as `python -m benchmarks.allow_walk`. It prints how many functions and files are involved, and what is read,
computed and rendered.
"""

import asyncio
import sys
from collections import Counter
from dataclasses import dataclass, field
from itertools import pairwise
from types import FrameType
from typing import Any

import hikari

from benchmarks.stage import BOUND, ROOT, Stage, stage
from bot import config
from bot.app import Start, serving
from bot.store import Store
from sandbox.scripts.script import Say, Use, script
from sandbox.scripts.script_file import save

SCRIPTED = (sys.executable, "-P", "-m", "sandbox.scripted_claude")
SCRIPTS = {"touch": script([Use("Bash", {"command": "touch made.txt"})], [Say("Done.")])}
BOT = f"{ROOT}/bot/"
FIRST = ("discord/interactions/router.py", "InteractionRouter.on_interaction")
LAST = hikari.ComponentInteraction.create_initial_response.__code__
PARTS = {
    ("permission_requests/cached.py", "cached.<locals>.with_result"): "render the card",
    ("store/tickets.py", "TicketTable.close_ticket"): "save the decision",
}
"""Names of the parts of the walk: everything called by one of these functions; the rest is "decide and reply"."""
WORK = {
    "parses": {("permission_requests/tool_input.py", "read")},
    "assessments": {("permission_requests/request_warnings.py", "warnings")},
    "renderings": {(f"render/cards/{kind}.py", "draw") for kind in ("tool", "plan", "questions")},
    "rows decoded": {("store/tickets.py", "_load_ticket")},
}

Function = tuple[str, str]


@dataclass
class Walk:
    """The functions that the click's task has called, and how often any task has processed the request."""

    task: asyncio.Task[Any] | None = None
    over: bool = False
    steps: list[tuple[str, Function]] = field(default_factory=list)
    selects: list[str] = field(default_factory=list)
    work: Counter[str] = field(default_factory=Counter)

    def profile(self, frame: FrameType, event: str, _: object) -> None:
        if event != "call":
            return
        code = frame.f_code
        if code is LAST and self._is_on_the_way():
            self.over = True
        if not code.co_filename.startswith(BOT):
            return
        function = _function(frame)
        self.work.update(kind for kind, functions in WORK.items() if function in functions)
        if function == FIRST and self.task is None:
            self.task = asyncio.current_task()
        if self._is_on_the_way() and not function[1].endswith(("comp>", "genexpr>")):
            self.steps.append((_part(frame), function))

    def trace(self, statement: str) -> None:
        if self._is_on_the_way() and statement.lstrip().startswith("SELECT"):
            self.selects.append(statement)

    def _is_on_the_way(self) -> bool:
        return self.task is not None and not self.over and self.task is asyncio.current_task()


def _function(frame: FrameType) -> Function:
    return frame.f_code.co_filename.removeprefix(BOT), frame.f_code.co_qualname


def _part(frame: FrameType | None) -> str:
    while frame is not None and (function := _function(frame)) != FIRST:
        if function in PARTS:
            return PARTS[function]
        frame = frame.f_back
    return "decide and reply"


async def trace_walk() -> tuple[Walk, Counter[str]]:
    """Click *Allow* on a card; return the walk, and the work that was done before the click."""
    walk = Walk()
    async with stage() as place, serving(_start(place)) as running:
        _database(running.store).set_trace_callback(walk.trace)
        sys.setprofile(walk.profile)
        try:
            thread = await place.opened("touch")
            card = await place.ada.sees(thread, lambda seen: bool(seen.components), within=BOUND)
            before = walk.work.copy()
            await place.ada.click(card, "Allow")
            await place.ada.sees(thread, "Done.", within=BOUND)
        finally:
            sys.setprofile(None)
            _database(running.store).set_trace_callback(None)
    return walk, before


def _start(place: Stage) -> Start:
    project, scripts = place.folder / "project", place.folder / "scripts.json"
    project.mkdir()
    save(scripts, SCRIPTS)
    raw = {
        "people": {"roles": [place.makers.id]},
        "claude": {"command": list(SCRIPTED)},
        "projects": {"demo": {"folder": str(project), "channels": [place.channel.id]}},
        "state": str(place.folder / "state"),
        "discord_api": place.discord.rest_url,
    }
    environment = {
        "CLAUDE_SCRIPT": str(scripts),
        "CLAUDE_CONFIG_DIR": str(place.folder / "claude"),
        "PYTHONPATH": str(ROOT),
    }
    return Start(config.check(raw, base=place.folder, source="the walk"), place.discord.token, environment)


def _database(store: Any) -> Any:
    assert isinstance(store, Store)
    return store._db  # noqa: SLF001 - there is no other way to count statements


def main() -> None:
    walk, before = asyncio.run(trace_walk())
    functions = [function for _, function in walk.steps]
    for part in ("decide and reply", *PARTS.values()):
        inside = {function for other, function in walk.steps if other == part}
        print(f"to {part}: {_counted(inside)}")
        for file in sorted({file for file, _ in inside}):
            print(f"    {file}: {', '.join(sorted(name for other, name in inside if other == file))}")
    changes = sum(one != other for (one, _), (other, _) in pairwise(functions))
    print(f"total: {_counted(set(functions))}, called {len(functions)} times, {changes} switches between files")
    print(f"{len(walk.selects)} SELECTs")
    for statement in walk.selects:
        print(f"    {' '.join(statement.split())[:100]}")
    for kind in WORK:
        print(f"{kind}: {before[kind]} before the click, {walk.work[kind] - before[kind]} after it")


def _counted(functions: set[Function]) -> str:
    return f"{len(functions)} of our functions in {len({file for file, _ in functions})} files"


if __name__ == "__main__":
    main()
