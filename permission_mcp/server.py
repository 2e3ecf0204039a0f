"""The MCP server with the tools `approve` and `send_file`."""

import sys
from collections.abc import AsyncIterator, Mapping
from io import TextIOWrapper
from typing import Any, cast
from uuid import uuid4

from anyio import AsyncFile, wrap_file
from mcp.server.lowlevel import Server
from mcp.server.stdio import stdio_server
from mcp.shared.exceptions import MCPError
from mcp_types import (
    INVALID_PARAMS,
    CallToolRequestParams,
    CallToolResult,
    ListToolsResult,
    PaginatedRequestParams,
    TextContent,
    Tool,
)

from permission_mcp.approve import approve
from permission_mcp.bot_client import BotAddress
from permission_mcp.line_repair import repaired_messages
from permission_mcp.send_file import send_file
from permission_mcp.tool_definitions import TOOLS
from shared.protocol import FILE_TOOL, SERVER_NAME, TOOL_NAME, encode

LISTED_TOOLS = [Tool.model_validate(each) for each in TOOLS]


async def serve(environment: Mapping[str, str], first: bytes) -> None:
    """Serve on stdin and stdout until stdin ends; `first` is the line that was already read from it."""
    bot = BotAddress.from_environment(environment)

    async def list_tools(_: object, __: PaginatedRequestParams | None) -> ListToolsResult:
        return ListToolsResult(tools=LISTED_TOOLS)

    async def call_tool(_: object, call: CallToolRequestParams) -> CallToolResult:
        if call.name == TOOL_NAME:
            return _text_result(encode(await approve(call.arguments or {}, bot)))
        if call.name == FILE_TOOL:
            use_id = (call.meta or {}).get("claudecode/toolUseId")
            answer = await send_file(call.arguments or {}, use_id if isinstance(use_id, str) else uuid4().hex, bot)
            return _text_result(answer.message, is_error=not answer.sent)
        raise MCPError(INVALID_PARAMS, f"There is no tool {call.name!r} here.")

    server: Server[Any] = Server(SERVER_NAME, on_list_tools=list_tools, on_call_tool=call_tool)
    async with (
        stdio_server(_stdin(first)) as (incoming, outgoing),
        incoming,
        repaired_messages(incoming, outgoing.send) as messages,
    ):
        await server.run(messages, outgoing, server.create_initialization_options())


def _stdin(first: bytes) -> AsyncFile[str]:
    """Return the lines of stdin, starting with the line that was already read."""
    rest = wrap_file(TextIOWrapper(sys.stdin.buffer, encoding="utf-8", errors="replace"))

    async def lines() -> AsyncIterator[str]:
        yield first.decode("utf-8", "replace")
        async for line in rest:
            yield line

    return cast("AsyncFile[str]", lines())  # `mcp` only iterates over it


def _text_result(text: str, *, is_error: bool = False) -> CallToolResult:
    # Only one text block: if there is also structuredContent, the CLI refuses every decision.
    return CallToolResult(content=[TextContent(type="text", text=text)], is_error=is_error)
