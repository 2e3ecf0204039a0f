"""An MCP client on stdio that sends exactly what the real CLI sends.

Importing the `mcp` package's client would add half a second to every start of the agent.
"""

import asyncio
import json
import os
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from itertools import count
from pathlib import Path
from typing import Any

from sandbox.scripted_claude.version import VERSION

START_TIMEOUT = 30.0
END_TIMEOUT = 2.0
LINE_LIMIT = 64 * 1024 * 1024
CLIENT = {"name": "claude-code", "title": "Claude Code", "version": VERSION}
CAPABILITIES: dict[str, Any] = {"roots": {"listChanged": True}}
DISCOVER = {
    "_meta": {
        "io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientInfo": CLIENT,
        "io.modelcontextprotocol/clientCapabilities": CAPABILITIES,
    }
}
INITIALIZE = {"protocolVersion": "2025-11-25", "capabilities": CAPABILITIES, "clientInfo": CLIENT}


class McpError(Exception):
    """The server responded with an error or has exited."""


class McpConnection:
    """A connection to a running MCP server."""

    def __init__(self, process: asyncio.subprocess.Process) -> None:
        self._process = process
        self._waiting: dict[int | str, asyncio.Future[dict[str, Any]]] = {}
        self._ids = count(0)
        self._modern = False
        self.tools: tuple[str, ...] = ()

    async def handshake(self) -> None:
        """Do the handshake as the CLI does: the new one first, then the old one."""
        try:
            found = await self._ask("server-discover-probe-1", "server/discover", DISCOVER)
            self._modern = "2026-07-28" in found.get("supportedVersions", [])
        except McpError:
            self._modern = False
        if not self._modern:
            await self._ask(next(self._ids), "initialize", INITIALIZE)
            await self._send({"jsonrpc": "2.0", "method": "notifications/initialized"})
        listed = await self._ask(next(self._ids), "tools/list", {})
        self.tools = tuple(tool["name"] for tool in listed["tools"])

    async def call(self, tool: str, arguments: Mapping[str, Any], use_id: str) -> dict[str, Any]:
        """Call a tool; if the call is cancelled, tell the server."""
        number = next(self._ids)
        meta = {"claudecode/toolUseId": use_id, "progressToken": number}
        params = {"name": tool, "arguments": dict(arguments), "_meta": meta}
        try:
            return await self._ask(number, "tools/call", params)
        except asyncio.CancelledError:
            gone = {"requestId": number, "reason": "AbortError: The operation was aborted."}
            await self._send({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": gone})
            raise

    async def read(self) -> None:
        """Read the server's responses until it exits."""
        assert self._process.stdout is not None  # noqa: S101 - a pipe by construction
        try:
            async for line in self._process.stdout:
                self._take(line)
        finally:
            for waiting in self._waiting.values():
                if not waiting.done():
                    waiting.set_exception(McpError("MCP error -32000: Connection closed"))

    def _take(self, line: bytes) -> None:
        message = json.loads(line)
        waiting = self._waiting.get(message.get("id", ""))
        if waiting is None or waiting.done() or "method" in message:
            return
        if "error" in message:
            error = message["error"]
            waiting.set_exception(McpError(f"MCP error {error['code']}: {error['message']}"))
        else:
            waiting.set_result(message["result"])

    async def _ask(self, number: int | str, method: str, params: Mapping[str, Any]) -> dict[str, Any]:
        if self._modern:
            stamp = {**DISCOVER["_meta"], **params.get("_meta", {})}
            params = {**params, "_meta": stamp}
        waiting: asyncio.Future[dict[str, Any]] = asyncio.get_running_loop().create_future()
        self._waiting[number] = waiting
        try:
            await self._send({"jsonrpc": "2.0", "id": number, "method": method, "params": params})
            return await waiting
        finally:
            del self._waiting[number]

    async def _send(self, message: Mapping[str, Any]) -> None:
        assert self._process.stdin is not None  # noqa: S101 - a pipe by construction
        try:
            self._process.stdin.write(json.dumps(message).encode() + b"\n")
            await self._process.stdin.drain()
        except (BrokenPipeError, ConnectionResetError) as broken:
            raise McpError("MCP error -32000: Connection closed") from broken


@asynccontextmanager
async def connected(config: Mapping[str, Any], cwd: Path) -> AsyncIterator[McpConnection]:
    """Run a server of `--mcp-config` inside the block, or raise `McpError`."""
    try:
        process = await asyncio.create_subprocess_exec(
            config["command"],
            *config.get("args", []),
            env={**os.environ, **config.get("env", {})},
            cwd=cwd,
            stdin=asyncio.subprocess.PIPE,
            stdout=asyncio.subprocess.PIPE,
            limit=LINE_LIMIT,
        )
    except OSError as refused:
        raise McpError(str(refused)) from refused
    connection = McpConnection(process)
    reading = asyncio.create_task(connection.read())
    try:
        async with asyncio.timeout(START_TIMEOUT):
            await connection.handshake()
        yield connection
    finally:
        await _end(process)
        reading.cancel()


async def _end(process: asyncio.subprocess.Process) -> None:
    assert process.stdin is not None  # noqa: S101 - a pipe by construction
    process.stdin.close()
    try:
        async with asyncio.timeout(END_TIMEOUT):
            await process.wait()
    except TimeoutError:
        process.kill()
        await process.wait()
