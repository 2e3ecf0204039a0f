"""Calls the permission tool and reads its answer: allowed with an input, or refused with a reason."""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from sandbox.scripted_claude.mcp_connection import McpConnection, McpError

INVALID = (
    "The permission prompt tool returned an invalid permission result. "
    "Expected {behavior: 'allow', updatedInput?: object} or {behavior: 'deny', message: string}."
)


class NoPermissionToolError(Exception):
    """A tool needs permission and the permission tool is missing; the real CLI exits here."""

    def __init__(self, name: str, available: tuple[str, ...]) -> None:
        tools = ", ".join(available) or "none"
        super().__init__(
            f"Error: MCP tool {name} (passed via --permission-prompt-tool) not found. Available MCP tools: {tools}"
        )


@dataclass(frozen=True, slots=True)
class AllowedUse:
    input: Mapping[str, Any]
    updates: tuple[dict[str, Any], ...] = ()
    source: str = "user_temporary"


@dataclass(frozen=True, slots=True)
class RefusedUse:
    message: str
    source: str = "config"
    interrupt: bool = False


async def ask(server: McpConnection, tool: str, request: Mapping[str, Any]) -> AllowedUse | RefusedUse:
    """Ask the permission tool about one tool use."""
    try:
        result = await server.call(tool, request, request["tool_use_id"])
    except McpError as error:
        return RefusedUse(str(error))
    return read(result)


def read(result: Mapping[str, Any]) -> AllowedUse | RefusedUse:
    """Read the result as strictly as the strictest CLI: one text block of JSON, and nothing else."""
    match result:
        case {"isError": True, "content": [{"text": str(text)}]}:
            return RefusedUse(text)
        case {"structuredContent": dict()}:
            return RefusedUse(INVALID)
        case {"content": [{"type": "text", "text": str(text)}]}:
            return _decision(text)
        case _:
            return RefusedUse(INVALID)


def _decision(text: str) -> AllowedUse | RefusedUse:
    try:
        decision = json.loads(text)
    except ValueError:
        return RefusedUse(INVALID)
    match decision:
        case {"behavior": "allow", "updatedInput": dict(input_)}:
            return AllowedUse(input_, tuple(decision.get("updatedPermissions") or ()))
        case {"behavior": "deny", "message": str(message)}:
            return RefusedUse(message, "user_reject", interrupt=decision.get("interrupt") is True)
        case _:
            return RefusedUse(INVALID)
