"""The smallest MCP server that the `mcp` package allows: one tool that allows everything immediately."""

import asyncio
import json

from mcp.server.lowlevel import Server
from mcp.server.stdio import stdio_server
from mcp_types import CallToolRequestParams, CallToolResult, ListToolsResult, PaginatedRequestParams, TextContent, Tool

APPROVE = Tool(name="approve", input_schema={"type": "object"})


async def serve() -> None:
    async def list_tools(_: object, __: PaginatedRequestParams | None) -> ListToolsResult:
        return ListToolsResult(tools=[APPROVE])

    async def call_tool(_: object, call: CallToolRequestParams) -> CallToolResult:
        allowed = {"behavior": "allow", "updatedInput": (call.arguments or {}).get("input", {})}
        return CallToolResult(content=[TextContent(type="text", text=json.dumps(allowed))])

    server: Server[object] = Server("smallest", on_list_tools=list_tools, on_call_tool=call_tool)
    async with stdio_server() as (incoming, outgoing):
        await server.run(incoming, outgoing, server.create_initialization_options())


if __name__ == "__main__":
    asyncio.run(serve())
