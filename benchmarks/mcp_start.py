"""Measures `permission_mcp` from its start to `tools/list`, which the CLI waits for before a run's first request."""

import os
import shutil
import time
from collections.abc import Sequence
from pathlib import Path

from benchmarks.figures import Figure, Outcome, Size, beside, p50
from benchmarks.mcp_client import OURS, SMALLEST, started

NODE = Path(os.environ.get("CLAUDE_DISCORD_CACHE", "~/.cache/claude-discord")).expanduser() / "node-mcp"
"""Where `npm install --prefix` may have installed `@modelcontextprotocol/sdk`; without it, Node's line is left out."""


def contenders() -> dict[str, Sequence[str]]:
    found: dict[str, Sequence[str]] = {"permission_mcp": OURS, "smallest": SMALLEST}
    node = shutil.which("node")
    if node and (NODE / "node_modules" / "@modelcontextprotocol").is_dir():
        # Node looks for packages next to the script.
        found["node"] = (node, str(shutil.copy(Path(__file__).with_name("smallest_server.mjs"), str(NODE))))
    return found


async def seconds(command: Sequence[str]) -> float:
    """Start a server and request its tools; return how long that took."""
    start = time.perf_counter()
    async with started(command) as server:
        await server.tools()
        return time.perf_counter() - start


async def measure(size: Size) -> Outcome:
    rounds = size.of(10, 4)
    commands = contenders()
    took: dict[str, list[float]] = {name: [] for name in commands}
    for each in range(rounds + 1):
        for name, command in commands.items():
            found = await seconds(command)
            if each:  # the first start loads the files into the page cache
                took[name].append(found * 1000)
    ours, floor = p50(took["permission_mcp"]), p50(took["smallest"])
    figures = [
        beside(
            "permission_mcp, start to tools/list",
            ours,
            floor,
            "ms",
            "the smallest server that `mcp` allows",
            most=1.05,
        )
    ]
    if "node" in took:
        node_took = p50(took["node"])
        figures.append(
            Figure("the same with Node's SDK", ours, "ms", node_took, "its smallest server", ours / node_took, "×")
        )
    return Outcome(tuple(figures), samples=took)
