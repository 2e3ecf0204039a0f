"""`permission_mcp` as a process, used by the client of the `mcp` package or line by line."""

import asyncio
import json
import os
import sys
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from mcp import Client, StdioServerParameters
from mcp_types import CallToolResult, TextContent

from shared import protocol
from tests.permission_mcp.fake_bot import BOUND

COMMAND = [sys.executable, "-P", "-m", "permission_mcp"]


@asynccontextmanager
async def client(
    environment: Mapping[str, str], *, cwd: Path | None = None, mode: str = "auto"
) -> AsyncIterator[Client]:
    """Start the server as `claude` does, and talk to it with the client of the `mcp` package."""
    parameters = StdioServerParameters(command=COMMAND[0], args=COMMAND[1:], env=dict(environment), cwd=cwd)
    async with asyncio.timeout(BOUND * 2), Client(parameters, mode=mode) as session:
        yield session


def call_arguments(tool: str = "Bash", use: str = "toolu_1", **given: Any) -> dict[str, Any]:
    """Return the arguments of the CLI's call."""
    return {"tool_name": tool, "input": given, "tool_use_id": use}


async def approve(session: Client, arguments: dict[str, Any]) -> dict[str, Any]:
    """Call the tool as the CLI does; like the CLI, accept only a result with exactly one text block."""
    result = await session.call_tool(protocol.TOOL_NAME, arguments)
    assert isinstance(result, CallToolResult)
    assert result.structured_content is None
    assert not result.is_error
    [block] = result.content
    assert isinstance(block, TextContent)
    decision: dict[str, Any] = json.loads(block.text)
    return decision


@dataclass(frozen=True, slots=True)
class Lines:
    """The server as a process that reads and writes lines."""

    process: asyncio.subprocess.Process

    async def send(self, **message: Any) -> None:
        assert self.process.stdin is not None
        self.process.stdin.write(json.dumps({"jsonrpc": "2.0", **message}).encode() + b"\n")
        await self.process.stdin.drain()

    async def receive(self) -> dict[str, Any]:
        assert self.process.stdout is not None
        async with asyncio.timeout(BOUND):
            message: dict[str, Any] = json.loads(await self.process.stdout.readline())
        assert message["jsonrpc"] == "2.0"
        return message

    async def initialize(self) -> None:
        hello = {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "test", "version": "1"}}
        await self.send(id=0, method="initialize", params=hello)
        assert (await self.receive())["id"] == 0
        await self.send(method="notifications/initialized")

    async def ask(self, number: int, arguments: dict[str, Any]) -> None:
        await self.send(id=number, method="tools/call", params={"name": protocol.TOOL_NAME, "arguments": arguments})

    async def ended(self) -> int:
        async with asyncio.timeout(BOUND):
            return await self.process.wait()

    async def rest(self) -> tuple[str, str]:
        """Close stdin; return what is left on stdout, and stderr."""
        async with asyncio.timeout(BOUND):
            out, err = await self.process.communicate(b"")
        return out.decode(), err.decode()


@asynccontextmanager
async def lines(environment: Mapping[str, str], *, cwd: Path | None = None) -> AsyncIterator[Lines]:
    pipe = asyncio.subprocess.PIPE
    process = await asyncio.create_subprocess_exec(
        *COMMAND, stdin=pipe, stdout=pipe, stderr=pipe, env={**os.environ, **environment}, cwd=cwd, limit=2**27
    )
    try:
        yield Lines(process)
    finally:
        if process.returncode is None:
            process.kill()
        await process.communicate()
