"""The MCP side: the tools that the CLI finds here, and what it gets from them."""

from collections.abc import Mapping
from typing import Any

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

from permission_mcp.asking import Bot, approve
from permission_mcp.legible import legible
from shared.protocol import SERVER_NAME, TOOL_NAME, encode

APPROVE = Tool(
    name=TOOL_NAME,
    description=(
        "Ask the people in the Discord conversation whether a tool may be used, and wait for their decision. "
        "Claude Code calls this by itself whenever a permission is needed; it is not meant to be called by the model."
    ),
    input_schema={
        "type": "object",
        "properties": {
            "tool_name": {"type": "string", "description": "The tool that Claude wants to use."},
            "input": {"type": "object", "description": "The input it would be used with."},
            "tool_use_id": {"type": "string", "description": "Names this use; asked again, it is the same request."},
        },
        "required": ["tool_name", "input", "tool_use_id"],
    },
    # Without this the CLI (2.1.326) puts an answer of more than 100,000 characters into a file, finds no decision in
    # it, and refuses every large Write. With it, an answer of 3 MB was accepted.
    _meta={"anthropic/maxResultSizeChars": 500_000},
)


async def serve(environment: Mapping[str, str]) -> None:
    """Serve on stdin and stdout until stdin ends."""
    bot = Bot.named_in(environment)

    async def list_tools(_: object, __: PaginatedRequestParams | None) -> ListToolsResult:
        return ListToolsResult(tools=[APPROVE])

    async def call_tool(_: object, call: CallToolRequestParams) -> CallToolResult:
        if call.name != TOOL_NAME:
            raise MCPError(INVALID_PARAMS, f"There is no tool {call.name!r} here.")
        return _text(encode(await approve(call.arguments or {}, bot)))

    server: Server[Any] = Server(SERVER_NAME, on_list_tools=list_tools, on_call_tool=call_tool)
    async with stdio_server() as (incoming, outgoing), incoming, legible(incoming, outgoing.send) as messages:
        await server.run(messages, outgoing, server.create_initialization_options())


def _text(text: str) -> CallToolResult:
    # One text block and nothing else: with structuredContent beside it the CLI refuses every decision.
    return CallToolResult(content=[TextContent(type="text", text=text)])
