"""A `claude` of either kind, started as the bot starts it, with its stdout in a file."""

import asyncio
import json
import os
import signal
import sys
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

APPROVER = Path(__file__).with_name("approver.py")
PATIENCE = 30.0

Line = dict[str, Any]


@dataclass
class Project:
    """A folder to work in, a home, and a permission tool that decides by a table."""

    root: Path
    decisions: dict[str, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        for folder in (self.cwd, self.home):
            folder.mkdir(parents=True, exist_ok=True)
        self.decide(self.decisions)
        server = {"command": sys.executable, "args": [str(APPROVER), str(self.table), str(self.log)]}
        self.config.write_text(json.dumps({"mcpServers": {"discord": server}}))

    @property
    def cwd(self) -> Path:
        return self.root / "project"

    @property
    def home(self) -> Path:
        return self.root / "home"

    @property
    def config(self) -> Path:
        return self.root / "mcp.json"

    @property
    def table(self) -> Path:
        return self.root / "decisions.json"

    @property
    def log(self) -> Path:
        return self.root / "asked.jsonl"

    def decide(self, decisions: Mapping[str, Any]) -> None:
        """Change the table; a request that comes from now on is decided by it."""
        self.table.write_text(json.dumps(decisions))

    def messages(self, method: str) -> list[Line]:
        """Give what the permission server has received of this kind so far."""
        if not self.log.exists():
            return []
        lines = [json.loads(line) for line in self.log.read_text().splitlines()]
        return [line for line in lines if line.get("method") == method]

    def asked(self) -> list[Line]:
        """Give the requests for permission so far: `tool_name`, `input`, `tool_use_id`."""
        return [line["params"]["arguments"] for line in self.messages("tools/call")]

    async def until_asked(self, tool: str, number: int = 1) -> None:
        """Wait until the permission tool was asked so often for this tool."""
        async with asyncio.timeout(PATIENCE):
            while sum(request["tool_name"] == tool for request in self.asked()) < number:  # noqa: ASYNC110 - it's another process
                await asyncio.sleep(0.01)


class Agent:
    """A running claude, its input, and the lines that it has written."""

    def __init__(self, process: asyncio.subprocess.Process, journal: Path, errors: Path) -> None:
        self.process = process
        self.journal = journal
        self.errors = errors
        self._read = 0

    @property
    def lines(self) -> list[Line]:
        text = self.journal.read_text(encoding="utf-8")
        return [json.loads(line) for line in text[: text.rfind("\n") + 1].splitlines() if line.startswith("{")]

    def write(self, line: Line) -> None:
        assert self.process.stdin is not None
        self.process.stdin.write(json.dumps(line).encode() + b"\n")

    def say(self, text: str) -> None:
        content = [{"type": "text", "text": text}]
        self.write({"type": "user", "message": {"role": "user", "content": content}})

    def control(self, request_id: str, **request: Any) -> None:
        self.write({"type": "control_request", "request_id": request_id, "request": request})

    async def until(self, wanted: Callable[[Line], bool], *, within: float = PATIENCE) -> Line:
        """Wait for a line, among those that no earlier wait has passed."""
        try:
            async with asyncio.timeout(within):
                while True:
                    lines = self.lines
                    for number, line in enumerate(lines[self._read :], self._read):
                        if wanted(line):
                            self._read = number + 1
                            return line
                    if self.process.returncode is not None:
                        raise AssertionError(f"claude ended with {self.process.returncode}\n{self.story()}")
                    await asyncio.sleep(0.01)
        except TimeoutError:
            raise AssertionError(f"it never came\n{self.story()}") from None

    async def result(self) -> Line:
        return await self.until(lambda line: line["type"] == "result")

    async def ask(self, text: str) -> Line:
        """Say something and wait for the end of the turn."""
        self.say(text)
        return await self.result()

    async def reply(self, request_id: str) -> Line:
        """Wait for the answer to a control request."""

        def mine(line: Line) -> bool:
            return line["type"] == "control_response" and bool(line["response"]["request_id"] == request_id)

        response: Line = (await self.until(mine))["response"]
        return response

    async def end(self) -> int:
        """Close its input and wait for it to go."""
        assert self.process.stdin is not None
        self.process.stdin.close()
        async with asyncio.timeout(PATIENCE):
            return await self.process.wait()

    def story(self) -> str:
        """Tell what happened, for a failed test."""
        return self.errors.read_text() + "\n" + "\n".join(json.dumps(line)[:300] for line in self.lines)


def arguments(project: Project, *more: str) -> list[str]:
    """The flags with which the bot starts claude."""
    talk = "-p --input-format stream-json --output-format stream-json --verbose --include-partial-messages"
    permission = ["--mcp-config", str(project.config), "--permission-prompt-tool", "mcp__discord__approve"]
    return [*talk.split(), *permission, *more]


@asynccontextmanager
async def started(
    command: Sequence[str], project: Project, environment: Mapping[str, str], *more: str
) -> AsyncIterator[Agent]:
    """Run claude inside the block."""
    journal = project.root / f"journal-{len(list(project.root.glob('journal-*')))}.jsonl"
    errors = journal.with_suffix(".err")
    with journal.open("wb") as out, errors.open("wb") as err:
        process = await asyncio.create_subprocess_exec(
            *command,
            *arguments(project, *more),
            cwd=project.cwd,
            env=environment,
            stdin=asyncio.subprocess.PIPE,
            stdout=out,
            stderr=err,
            start_new_session=True,
        )
    try:
        yield Agent(process, journal, errors)
    finally:
        if process.returncode is None:
            os.killpg(process.pid, signal.SIGKILL)
        await process.wait()
        process._transport.close()  # type: ignore[attr-defined]
