"""What stands on both sides of `permission_mcp`: a bot that a test answers for, and Claude, by client or by line."""

import asyncio
import json
import os
import sys
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from aiohttp import web
from mcp import Client, StdioServerParameters
from mcp_types import CallToolResult, TextContent

from shared import protocol
from shared.protocol import Allow, Deny, Request

ROOT = Path(protocol.__file__).parent.parent
"""The folder that holds our packages: the repository, or site-packages."""
BOUND = 15.0
TOKEN = "the-token-of-this-run"
COMMAND = [sys.executable, "-P", "-m", "permission_mcp"]


@dataclass(frozen=True, slots=True)
class HeldRequest:
    """A request as it arrived; the test answers it."""

    request: Request
    headers: Mapping[str, str]
    answered: asyncio.Future[web.Response]
    gone: asyncio.Event = field(default_factory=asyncio.Event)
    """Set when the asker closed the connection before it had an answer."""

    def decide(self, decision: Allow | Deny) -> None:
        self.respond(web.json_response(text=protocol.encode(decision)))

    def respond(self, response: web.Response) -> None:
        self.answered.set_result(response)


class FakeBot:
    """The bot's endpoint on a real socket, coming and going as a test wants it."""

    def __init__(self, folder: Path) -> None:
        self.address_file = folder / "address"
        self.asked: asyncio.Queue[HeldRequest] = asyncio.Queue()
        self._runner: web.AppRunner | None = None

    async def start(self) -> None:
        app = web.Application(client_max_size=protocol.MAX_BODY)
        app.router.add_post(protocol.ASK_ROUTE, self._ask)
        # A shutdown_timeout of 0 would wait for ever.
        self._runner = web.AppRunner(app, handler_cancellation=True, access_log=None, shutdown_timeout=0.01)
        await self._runner.setup()
        await web.TCPSite(self._runner, "127.0.0.1", 0).start()
        host, port = self._runner.addresses[0]
        self.write_address(f"http://{host}:{port}")

    def write_address(self, address: str) -> None:
        self.address_file.write_text(address, encoding="utf-8")

    async def stop(self) -> None:
        if self._runner is not None:
            await self._runner.cleanup()
            self._runner = None

    async def next(self) -> HeldRequest:
        async with asyncio.timeout(BOUND):
            return await self.asked.get()

    def environment(self, **more: str) -> dict[str, str]:
        return {
            "PYTHONPATH": str(ROOT),
            protocol.ADDRESS_ENV: str(self.address_file),
            protocol.TOKEN_ENV: TOKEN,
            **more,
        }

    async def _ask(self, request: web.Request) -> web.Response:
        asked = HeldRequest(
            Request.model_validate_json(await request.read()),
            request.headers,
            asyncio.get_running_loop().create_future(),
        )
        await self.asked.put(asked)
        try:
            return await asked.answered
        except asyncio.CancelledError:
            asked.gone.set()
            raise


@asynccontextmanager
async def client(
    environment: Mapping[str, str], *, cwd: Path | None = None, mode: str = "auto"
) -> AsyncIterator[Client]:
    """Start the server as `claude` does, and talk to it with the client of the `mcp` package."""
    parameters = StdioServerParameters(command=COMMAND[0], args=COMMAND[1:], env=dict(environment), cwd=cwd)
    async with asyncio.timeout(BOUND * 2), Client(parameters, mode=mode) as session:
        yield session


def call_arguments(tool: str = "Bash", use: str = "toolu_1", **given: Any) -> dict[str, Any]:
    """The arguments of the CLI's call."""
    return {"tool_name": tool, "input": given, "tool_use_id": use}


async def approve(session: Client, arguments: dict[str, Any]) -> dict[str, Any]:
    """Call the tool as the CLI does, and insist on what the CLI insists on: one text block and nothing else."""
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
