"""The MCP side: the tools that the CLI finds here, and what it gets from them."""

from collections.abc import Mapping
from typing import Any
from uuid import uuid4

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
from permission_mcp.sending import send_file
from shared.protocol import FILE_TOOL, SERVER_NAME, TOOL_NAME, encode

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


SEND_FILE = Tool(
    name=FILE_TOOL,
    description=(
        "Send a file to the people in the Discord conversation: a picture, a report, a build, anything that they "
        "should see or keep. The file must be inside the project or in your temporary folder, and at most 10 MB."
    ),
    input_schema={
        "type": "object",
        "properties": {
            "path": {"type": "string", "description": "The file, absolute or relative to the project's folder."},
            "caption": {"type": "string", "description": "A sentence that stands above it."},
        },
        "required": ["path"],
    },
)


async def serve(environment: Mapping[str, str]) -> None:
    """Serve on stdin and stdout until stdin ends."""
    bot = Bot.named_in(environment)

    async def list_tools(_: object, __: PaginatedRequestParams | None) -> ListToolsResult:
        return ListToolsResult(tools=[APPROVE, SEND_FILE])

    async def call_tool(_: object, call: CallToolRequestParams) -> CallToolResult:
        if call.name == TOOL_NAME:
            return _text(encode(await approve(call.arguments or {}, bot)))
        if call.name == FILE_TOOL:
            named = (call.meta or {}).get("claudecode/toolUseId")
            answer = await send_file(call.arguments or {}, named if isinstance(named, str) else uuid4().hex, bot)
            return _text(answer.message, is_error=not answer.sent)
        raise MCPError(INVALID_PARAMS, f"There is no tool {call.name!r} here.")

    server: Server[Any] = Server(SERVER_NAME, on_list_tools=list_tools, on_call_tool=call_tool)
    async with stdio_server() as (incoming, outgoing), incoming, legible(incoming, outgoing.send) as messages:
        await server.run(messages, outgoing, server.create_initialization_options())


def _text(text: str, *, is_error: bool = False) -> CallToolResult:
    # One text block and nothing else: with structuredContent beside it the CLI refuses every decision.
    return CallToolResult(content=[TextContent(type="text", text=text)], is_error=is_error)
