"""A minimal client for a stdio MCP server that adds no time of its own to a measurement."""

import asyncio
import json
import os
import sys
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[1]
OURS = (sys.executable, "-P", "-m", "permission_mcp")
SMALLEST = (sys.executable, "-P", "-m", "benchmarks.smallest_server")
BOUND = 20.0
ABOUT = {"name": "benchmark", "version": "1"}
META = {
    "io.modelcontextprotocol/protocolVersion": "2026-07-28",
    "io.modelcontextprotocol/clientInfo": ABOUT,
    "io.modelcontextprotocol/clientCapabilities": {},
}


class Server:
    """A running server."""

    def __init__(self, process: asyncio.subprocess.Process) -> None:
        self.process = process
        self._number = 0

    async def call(self, method: str, **params: Any) -> dict[str, Any]:
        """Send a request and wait for its response."""
        self._number += 1
        await self.send({"id": self._number, "method": method, "params": params})
        assert self.process.stdout is not None
        async with asyncio.timeout(BOUND):
            while True:
                line = await self.process.stdout.readline()
                if not line:
                    raise EOFError(f"The server exited before it answered {method}.")
                answer: dict[str, Any] = json.loads(line)
                if answer.get("id") == self._number:
                    return answer

    async def send(self, message: Mapping[str, Any]) -> None:
        assert self.process.stdin is not None
        self.process.stdin.write(json.dumps({"jsonrpc": "2.0", **message}).encode() + b"\n")
        await self.process.stdin.drain()

    async def tools(self) -> None:
        """Request the list of tools as the CLI does: with the newest protocol, else with the one before it."""
        if "error" in await self.call("server/discover", _meta=META):
            await self.call("initialize", protocolVersion="2025-11-25", capabilities={}, clientInfo=ABOUT)
            await self.send({"method": "notifications/initialized"})
            await self.call("tools/list")
        else:
            await self.call("tools/list", _meta=META)

    async def use(self, tool: str, **arguments: Any) -> None:
        await self.call("tools/call", name=tool, arguments=arguments, _meta=META)


@asynccontextmanager
async def started(command: Sequence[str], environment: Mapping[str, str] | None = None) -> AsyncIterator[Server]:
    """Run a server inside the block."""
    process = await asyncio.create_subprocess_exec(
        *command,
        stdin=asyncio.subprocess.PIPE,
        stdout=asyncio.subprocess.PIPE,
        env={**os.environ, "PYTHONPATH": str(ROOT), **(environment or {})},
        limit=1 << 24,
    )
    try:
        yield Server(process)
    finally:
        if process.returncode is None:
            process.kill()
        await process.wait()
