"""A stand-in for `claude` that writes lines, asks for permission, records times, and itself takes almost no time."""

import json
import os
import subprocess
import sys
import threading
import time
import uuid
from pathlib import Path
from typing import IO, Any

CLOCK = "BENCH_CLOCK"
"""The file with a line for each request: when it was made and when it was answered."""

PARAGRAPH = 3000  # characters between two uses of Read


def say(kind: str, **more: Any) -> None:
    line = {"type": kind, "session_id": SESSION, "uuid": str(uuid.uuid4()), "parent_tool_use_id": None, **more}
    os.write(1, json.dumps(line).encode() + b"\n")


def event(kind: str, **more: Any) -> None:
    say("stream_event", event={"type": kind, **more})


def after(flag: str) -> str:
    return sys.argv[sys.argv.index(flag) + 1] if flag in sys.argv else ""


SESSION = after("--session-id") or after("--resume") or str(uuid.uuid4())


class Permission:
    """The permission server that the bot has configured, started as the CLI starts it."""

    def __init__(self) -> None:
        config = json.loads(Path(after("--mcp-config")).read_text(encoding="utf-8"))
        (server,) = config["mcpServers"].values()
        self.process = subprocess.Popen(  # runs as long as this program
            [server["command"], *server["args"]],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            env={**os.environ, **server.get("env", {})},
        )
        self.number = 0
        about = {"name": "stub", "version": "1"}
        self.call("initialize", protocolVersion="2025-11-25", capabilities={}, clientInfo=about)
        self.send({"method": "notifications/initialized"})

    def send(self, message: dict[str, Any]) -> None:
        pipe: IO[bytes] | None = self.process.stdin
        assert pipe is not None
        pipe.write(json.dumps({"jsonrpc": "2.0", **message}).encode() + b"\n")
        pipe.flush()

    def call(self, method: str, **params: Any) -> Any:
        self.number += 1
        self.send({"id": self.number, "method": method, "params": params})
        assert self.process.stdout is not None
        while True:
            answer = json.loads(self.process.stdout.readline())
            if answer.get("id") == self.number:
                return answer


def ask(permission: Permission, number: int) -> None:
    """Use a tool that needs permission."""
    name = f"toolu_{uuid.uuid4().hex}"
    command = {"command": f"touch file-{number}.txt", "description": "Make a file"}
    use = {"type": "tool_use", "id": name, "name": "Bash", "input": command}
    say("assistant", message={"id": f"msg_{name}", "role": "assistant", "content": [use], "usage": {}})
    asked = time.time()
    arguments = {"tool_name": "Bash", "input": command, "tool_use_id": name}
    permission.call("tools/call", name="approve", arguments=arguments)
    answered = time.time()
    with Path(os.environ[CLOCK]).open("a", encoding="utf-8") as clock:
        clock.write(json.dumps({"number": number, "asked": asked, "answered": answered}) + "\n")
    result = {"type": "tool_result", "tool_use_id": name, "content": "done"}
    say("user", message={"role": "user", "content": [result]})


def stream(seconds: float, pace: float) -> None:
    """Write text in pieces, each with the time when it was written, and read a file now and then."""
    end = time.time() + seconds
    while time.time() < end:
        name = uuid.uuid4().hex
        message = {"id": f"msg_{name}", "model": "claude-opus-5-5", "role": "assistant", "usage": {}}
        event("message_start", message=message)
        event("content_block_start", index=0, content_block={"type": "text", "text": ""})
        text, number = "", 0
        while time.time() < end and len(text) < PARAGRAPH:
            number += 1
            piece = f"[{time.time():.3f}] a few words that come one after another, {number}\n"
            text += piece
            event("content_block_delta", index=0, delta={"type": "text_delta", "text": piece})
            time.sleep(pace)
        say("assistant", message={**message, "content": [{"type": "text", "text": text}]})
        event("content_block_stop", index=0)
        use = {"type": "tool_use", "id": f"toolu_{name}", "name": "Read", "input": {"file_path": "/project/a.py"}}
        say("assistant", message={**message, "content": [use]})
        result = {"type": "tool_result", "tool_use_id": f"toolu_{name}", "content": "import os"}
        say("user", message={"role": "user", "content": [result]})


def turn(prompt: str, permission: Permission | None) -> None:
    say("system", subtype="init", cwd=str(Path.cwd()), model="claude-opus-5-5", permissionMode="default", tools=[])
    verb, *rest = prompt.split()
    match verb:
        case "ask" if permission:
            for number in range(int(rest[0])):
                ask(permission, number)
        case "stream":
            stream(float(rest[0]), float(rest[1]))
        case "wait":
            threading.Event().wait()
        case _:
            message = {"id": f"msg_{uuid.uuid4()}", "role": "assistant"}
            say("assistant", message={**message, "content": [{"type": "text", "text": f"You said: {prompt}"}]})
    say("result", subtype="success", is_error=False, result="", num_turns=1, duration_ms=1, total_cost_usd=0, usage={})


def main() -> None:
    permission = Permission() if os.environ.get(CLOCK) else None
    for line in sys.stdin:
        message = json.loads(line)
        if message["type"] == "user":
            say("user", message=message["message"], uuid=message.get("uuid"), isReplay=True)
            turn(message["message"]["content"][-1]["text"], permission)


if __name__ == "__main__":
    main()
