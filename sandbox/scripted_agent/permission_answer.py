"""What the permission tool's answer means: a yes with an input, or a no with a reason."""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from sandbox.scripted_agent.permission_tool import McpError, McpServer

INVALID = (
    "The permission prompt tool returned an invalid permission result. "
    "Expected {behavior: 'allow', updatedInput?: object} or {behavior: 'deny', message: string}."
)


class NoPermissionToolError(Exception):
    """Something needs a yes, and there is nobody to ask; the real CLI ends here."""

    def __init__(self, name: str, available: tuple[str, ...]) -> None:
        tools = ", ".join(available) or "none"
        super().__init__(
            f"Error: MCP tool {name} (passed via --permission-prompt-tool) not found. Available MCP tools: {tools}"
        )


@dataclass(frozen=True, slots=True)
class Allowed:
    input: Mapping[str, Any]
    updates: tuple[dict[str, Any], ...] = ()
    source: str = "user_temporary"


@dataclass(frozen=True, slots=True)
class Refused:
    message: str
    source: str = "config"
    interrupt: bool = False


async def ask(server: McpServer, tool: str, request: Mapping[str, Any]) -> Allowed | Refused:
    """Ask the permission tool about one use of a tool."""
    try:
        result = await server.call(tool, request, request["tool_use_id"])
    except McpError as error:
        return Refused(str(error))
    return read(result)


def read(result: Mapping[str, Any]) -> Allowed | Refused:
    """Read the result of the call as strictly as the strictest CLI: one text block with JSON, and nothing else."""
    match result:
        case {"isError": True, "content": [{"text": str(text)}]}:
            return Refused(text)
        case {"structuredContent": dict()}:
            return Refused(INVALID)
        case {"content": [{"type": "text", "text": str(text)}]}:
            return _decision(text)
        case _:
            return Refused(INVALID)


def _decision(text: str) -> Allowed | Refused:
    try:
        decision = json.loads(text)
    except ValueError:
        return Refused(INVALID)
    match decision:
        case {"behavior": "allow", "updatedInput": dict(input_)}:
            return Allowed(input_, tuple(decision.get("updatedPermissions") or ()))
        case {"behavior": "deny", "message": str(message)}:
            return Refused(message, "user_reject", interrupt=decision.get("interrupt") is True)
        case _:
            return Refused(INVALID)
