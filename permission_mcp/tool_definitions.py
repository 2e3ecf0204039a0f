"""The definitions of our tools as plain JSON, which the handshake sends before `mcp` has loaded."""

from typing import Any

SERVER: dict[str, str] = {"name": "discord", "version": ""}
APPROVE: dict[str, Any] = {
    "name": "approve",
    "description": (
        "Ask the people in the Discord conversation whether a tool may be used, and wait for their decision. "
        "Claude Code calls this by itself whenever a permission is needed; it is not meant to be called by the model."
    ),
    "inputSchema": {
        "type": "object",
        "properties": {
            "tool_name": {"type": "string", "description": "The tool that Claude wants to use."},
            "input": {"type": "object", "description": "The input it would be used with."},
            "tool_use_id": {
                "type": "string",
                "description": "The id of this use; a call with the same id is the same request.",
            },
        },
        "required": ["tool_name", "input", "tool_use_id"],
    },
    # Without this the CLI (2.1.326) puts an answer of more than 100,000 characters into a file, finds no decision in
    # it, and refuses every large Write. With it, an answer of 3 MB was accepted.
    "_meta": {"anthropic/maxResultSizeChars": 500_000},
}
SEND_FILE: dict[str, Any] = {
    "name": "send_file",
    "description": (
        "Send a file to the people in the Discord conversation: a picture, a report, a build, anything that they "
        "should see or keep. The file must be inside the project or in your temporary folder, and at most 10 MB."
    ),
    "inputSchema": {
        "type": "object",
        "properties": {
            "path": {"type": "string", "description": "The file, absolute or relative to the project's folder."},
            "caption": {"type": "string", "description": "A sentence to show above it."},
        },
        "required": ["path"],
    },
}
TOOLS = (APPROVE, SEND_FILE)
