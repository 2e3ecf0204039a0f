"""The CLI's first two requests, answered before the `mcp` package has loaded.

The CLI waits for both before its first request to Claude, and loading `mcp` takes a third of a second. Newer CLIs speak
a protocol without a session (2026-07-28), so `mcp` need not hear of them. Anything unexpected is left to `mcp`; a
test checks that these responses are the ones that it would give.
"""

import json
from collections.abc import Mapping
from typing import Any

from permission_mcp.tool_definitions import SERVER, TOOLS

VERSION = "2026-07-28"
_PREFIX = "io.modelcontextprotocol/"
_CLIENT = {f"{_PREFIX}protocolVersion", f"{_PREFIX}clientInfo", f"{_PREFIX}clientCapabilities"}
_COMMON = {
    "cacheScope": "private",
    "resultType": "complete",
    "ttlMs": 0,
    "_meta": {f"{_PREFIX}serverInfo": SERVER},
}
_RESULTS: dict[str, dict[str, Any]] = {
    "server/discover": {"capabilities": {"tools": {"listChanged": False}}, "supportedVersions": [VERSION], **_COMMON},
    "tools/list": {"tools": TOOLS, **_COMMON},
}


def response(line: bytes) -> bytes | None:
    """Write the response to a line that is one of the two requests; None leaves it to `mcp`."""
    try:
        match json.loads(line):
            case {"jsonrpc": "2.0", "id": str() | int() as number, "method": str(method), "params": {**params}} if (
                method in _RESULTS and _is_expected(params) and not isinstance(number, bool)
            ):
                result = {"jsonrpc": "2.0", "id": number, "result": _RESULTS[method]}
                return json.dumps(result, separators=(",", ":")).encode() + b"\n"
    except (ValueError, RecursionError):
        pass
    return None


def _is_expected(params: Mapping[Any, Any]) -> bool:
    meta = params.get("_meta")
    return (
        params.keys() == {"_meta"}
        and isinstance(meta, dict)
        and meta.keys() >= _CLIENT
        and meta[f"{_PREFIX}protocolVersion"] == VERSION
    )
