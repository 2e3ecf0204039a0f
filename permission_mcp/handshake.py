"""The CLI's first two questions, answered before `mcp` is there to answer them.

The CLI waits for both before its first request to Claude, and loading `mcp` takes a third of a second. Newer CLIs speak
a protocol without a session (2026-07-28), so that what is answered here need not be told to `mcp` afterwards. Whatever
is not exactly as expected is left to `mcp`; a test holds these answers to those that it gives.
"""

import json
from collections.abc import Mapping
from typing import Any

from permission_mcp.tool_definitions import SERVER, TOOLS

VERSION = "2026-07-28"
_ABOUT = "io.modelcontextprotocol/"
_CLIENT = {f"{_ABOUT}protocolVersion", f"{_ABOUT}clientInfo", f"{_ABOUT}clientCapabilities"}
_SAME = {
    "cacheScope": "private",
    "resultType": "complete",
    "ttlMs": 0,
    "_meta": {f"{_ABOUT}serverInfo": SERVER},
}
_ANSWERS: dict[str, dict[str, Any]] = {
    "server/discover": {"capabilities": {"tools": {"listChanged": False}}, "supportedVersions": [VERSION], **_SAME},
    "tools/list": {"tools": TOOLS, **_SAME},
}


def answer(line: bytes) -> bytes | None:
    """Answer a line, if it is one of the two questions; None leaves it to `mcp`."""
    try:
        match json.loads(line):
            case {"jsonrpc": "2.0", "id": str() | int() as number, "method": str(method), "params": {**params}} if (
                method in _ANSWERS and _is_expected(params) and not isinstance(number, bool)
            ):
                result = {"jsonrpc": "2.0", "id": number, "result": _ANSWERS[method]}
                return json.dumps(result, separators=(",", ":")).encode() + b"\n"
    except (ValueError, RecursionError):
        pass
    return None


def _is_expected(params: Mapping[Any, Any]) -> bool:
    about = params.get("_meta")
    return (
        params.keys() == {"_meta"}
        and isinstance(about, dict)
        and about.keys() >= _CLIENT
        and about[f"{_ABOUT}protocolVersion"] == VERSION
    )
