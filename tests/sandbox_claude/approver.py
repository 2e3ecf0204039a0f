"""A permission tool in one small file: decides by a table, and writes down what it was asked.

`python approver.py TABLE LOG`: TABLE is JSON, tool name (or "*") -> decision, "hang" or "echo" (allow as asked).
"""

import json
import sys
from pathlib import Path
from typing import Any

TOOL = {
    "name": "approve",
    "description": "Decides",
    "inputSchema": {"type": "object", "properties": {}, "additionalProperties": True},
}


def answer(message: dict[str, Any], table: dict[str, Any]) -> dict[str, Any] | None:
    match message:
        case {"method": "initialize", "params": {"protocolVersion": version}}:
            server = {"name": "approver", "version": "1"}
            return {"protocolVersion": version, "capabilities": {"tools": {}}, "serverInfo": server}
        case {"method": "tools/list"}:
            return {"tools": [TOOL]}
        case {"method": "tools/call", "params": {"arguments": arguments}}:
            decision = decide(arguments, table.get(arguments["tool_name"], table.get("*", "echo")))
            return None if decision is None else {"content": [{"type": "text", "text": decision}]}
        case _:
            return {}


def decide(arguments: dict[str, Any], rule: Any) -> str | None:
    match rule:
        case "hang":
            return None
        case "echo":
            return json.dumps({"behavior": "allow", "updatedInput": arguments["input"]})
        case {"merge": extra, **rest}:
            return json.dumps({"behavior": "allow", **rest, "updatedInput": {**arguments["input"], **extra}})
        case str():
            return rule
        case _:
            return json.dumps(rule)


def main(table_path: str, log_path: str) -> None:
    with Path(log_path).open("a", encoding="utf-8") as log:
        for line in sys.stdin:
            message = json.loads(line)
            log.write(line)
            log.flush()
            if "id" not in message or "method" not in message:
                continue
            if message["method"] == "server/discover":
                reply: dict[str, Any] = {"error": {"code": -32601, "message": "Method not found"}}
            else:
                result = answer(message, json.loads(Path(table_path).read_text(encoding="utf-8")))
                if result is None:
                    continue
                reply = {"result": result}
            sys.stdout.write(json.dumps({"jsonrpc": "2.0", "id": message["id"], **reply}) + "\n")
            sys.stdout.flush()


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2])
