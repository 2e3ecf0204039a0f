"""Answers the CLI's first two requests before the `mcp` package has loaded.

The CLI waits for both answers before its first request to Claude, and loading `mcp` takes a third of a second. Newer
CLIs use a protocol without sessions (2026-07-28), so `mcp` doesn't need to see these requests. It gets every request
that is not as expected. A test checks that `mcp` would send the same responses.
"""

import json
from collections.abc import Mapping
from typing import Any

from permission_mcp.tool_definitions import SERVER, TOOLS

VERSION = "2026-07-28"
_PREFIX = "io.modelcontextprotocol/"
_REQUIRED_META = {f"{_PREFIX}protocolVersion", f"{_PREFIX}clientInfo", f"{_PREFIX}clientCapabilities"}
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
    """Return the response if the line is one of the two requests; None leaves the line to `mcp`."""
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
        and meta.keys() >= _REQUIRED_META
        and meta[f"{_PREFIX}protocolVersion"] == VERSION
    )
