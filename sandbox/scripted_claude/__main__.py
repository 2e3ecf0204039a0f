"""A scripted agent in place of `claude`: it speaks stream-json and really calls the permission tool.

Run it as `python -P -m sandbox.scripted_claude -p --input-format stream-json …`, with the real CLI's options.
`sandbox.scripted_claude.command_line` lists the environment variables that it reads.
"""

import argparse
import asyncio
import json
import os
import signal
import sys
import threading
from collections.abc import Coroutine, Mapping, Sequence
from contextlib import AsyncExitStack
from dataclasses import replace
from pathlib import Path
from typing import Any

from sandbox.scripted_claude import command_line, control_requests, session_files
from sandbox.scripted_claude.agent_state import AgentPrompt, AgentState
from sandbox.scripted_claude.mcp_connection import McpError, connected
from sandbox.scripted_claude.message_stream import ScriptExit
from sandbox.scripted_claude.output import Output, TurnSummary
from sandbox.scripted_claude.permission_answer import NoPermissionToolError
from sandbox.scripted_claude.permission_policy import PermissionPolicy
from sandbox.scripted_claude.tool_calls import StoppedByPerson
from sandbox.scripted_claude.tool_runner import ToolRunner
from sandbox.scripted_claude.turn import ScriptedTurn
from sandbox.scripted_claude.version import VERSION

TERMINATED = 128 + signal.SIGTERM


def main(argv: Sequence[str] | None = None) -> int:
    options = command_line.parse(sys.argv[1:] if argv is None else argv)
    if options.version:
        sys.stdout.write(f"{VERSION} (Claude Code, scripted)\n")
        return 0
    cwd = Path.cwd()
    try:
        session = command_line.session(options, cwd)
        mode = command_line.permission_mode(options)
    except session_files.UnknownSessionError as unknown:
        _refuse_session(unknown)
        return 1
    except (command_line.UsageError, session_files.SessionError) as error:
        sys.stderr.write(f"{error}\n")
        return 1
    process = _Process(options, session, PermissionPolicy(mode, cwd))
    try:
        return asyncio.run(process.run())
    except (NoPermissionToolError, command_line.UsageError) as fatal:
        sys.stderr.write(f"{fatal}\n")
        return 1


def _refuse_session(unknown: session_files.UnknownSessionError) -> None:
    turn = TurnSummary(user_lines=-1)  # the CLI exits without reading the prompt
    out = Output(unknown.session_id, sys.stdout.buffer)
    out.result(turn, "", subtype="error_during_execution", is_error=True, errors=[str(unknown)])
    sys.stderr.write(f"{unknown}\n")


class _Process:
    """One run of the agent: it answers prompts until its input ends."""

    def __init__(
        self, options: argparse.Namespace, session: session_files.SessionFile, policy: PermissionPolicy
    ) -> None:
        self._options = options
        self._prompts: asyncio.Queue[AgentPrompt | None] = asyncio.Queue()
        self._stop = asyncio.Event()
        """Set when the current turn should end."""
        self._exiting = False
        """Whether the process exits after the current turn."""
        self._input_ended = False
        self._busy = False
        self._fatal: Exception | None = None
        self._tasks: set[asyncio.Task[None]] = set()
        results = session.path.with_suffix("") / "tool-results"
        self._state = AgentState(
            out=Output(session.id, sys.stdout.buffer),
            session=session,
            choose=command_line.script_chooser(),
            policy=policy,
            tools=ToolRunner(policy.cwd, results),
            permission_tool=options.permission_prompt_tool,
            model=options.model,
            pace=command_line.pace(),
            partial=options.include_partial_messages,
            retries=command_line.retries(),
            spawn=self._spawn,
            enqueue=self._prompts.put_nowait,
        )

    async def run(self) -> int:
        loop = asyncio.get_running_loop()
        loop.add_signal_handler(signal.SIGTERM, os._exit, TERMINATED)
        loop.add_signal_handler(signal.SIGINT, self._exit)
        lines: asyncio.Queue[bytes] = asyncio.Queue()
        threading.Thread(target=_read_input, args=(loop, lines), daemon=True).start()
        async with AsyncExitStack() as stack:
            await self._connect(stack)
            reading = asyncio.create_task(self._read(lines))
            stack.callback(reading.cancel)
            try:
                return await self._answer_all()
            except ScriptExit as ended:
                sys.stdout.flush()
                os._exit(ended.code)  # like a crash: writes nothing more

    async def _connect(self, stack: AsyncExitStack) -> None:
        """Start the MCP servers and wait for them, as the real CLI does before its first request."""
        for name, config in command_line.mcp_servers(self._options).items():
            try:
                self._state.servers[name] = await stack.enter_async_context(connected(config, self._state.tools.cwd))
            except (McpError, TimeoutError, KeyError):
                self._state.failed.append(name)

    async def _answer_all(self) -> int:
        while not self._exiting and (prompt := await self._prompts.get()) is not None:
            self._busy = True
            await self._play(ScriptedTurn(self._state, prompt))
            self._busy = False
            self._end_if_idle()
        if self._fatal is not None:
            raise self._fatal
        return 0

    async def _play(self, turn: ScriptedTurn) -> None:
        self._stop.clear()
        playing = asyncio.create_task(turn.play())
        stopping = asyncio.create_task(self._stop.wait())
        await asyncio.wait({playing, stopping}, return_when="FIRST_COMPLETED")
        stopping.cancel()
        playing.cancel()
        try:
            await playing
        except (asyncio.CancelledError, StoppedByPerson):
            turn.stop()

    async def _read(self, lines: asyncio.Queue[bytes]) -> None:
        while line := await lines.get():
            try:
                self._receive(json.loads(line))
            except ValueError as error:
                self._fail(command_line.UsageError(f"Error parsing streaming input line: {error}"))
        self._input_ended = True
        self._end_if_idle()

    def _receive(self, message: Mapping[str, Any]) -> None:
        match message:
            case {"type": "user", "message": {"content": content}}:
                prompt = _prompt(content)
                if self._options.replay_user_messages:
                    prompt = replace(
                        prompt, replay={key: message[key] for key in ("message", "uuid") if key in message}
                    )
                self._prompts.put_nowait(prompt)
            case {"type": "control_request", "request_id": request_id, "request": request}:
                control_requests.respond(self._state, request_id, request, self._stop.set)
            case _:
                pass

    def _spawn(self, work: Coroutine[Any, Any, None]) -> asyncio.Task[None]:
        task = asyncio.create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._forget)
        return task

    def _forget(self, task: asyncio.Task[None]) -> None:
        self._tasks.discard(task)
        error = None if task.cancelled() else task.exception()
        if isinstance(error, Exception):
            self._fail(error)
        self._end_if_idle()

    def _end_if_idle(self) -> None:
        """Exit once the input has ended and no turn and no background task is left."""
        if self._input_ended and not self._busy and not self._tasks:
            self._prompts.put_nowait(None)

    def _fail(self, error: Exception) -> None:
        self._fatal = error
        self._exit()

    def _exit(self) -> None:
        self._exiting = True
        self._stop.set()
        self._prompts.put_nowait(None)


def _read_input(loop: asyncio.AbstractEventLoop, lines: "asyncio.Queue[bytes]") -> None:
    """Forward each line, and an empty one at the end; a thread can read any kind of stdin."""
    while line := sys.stdin.buffer.readline():
        loop.call_soon_threadsafe(lines.put_nowait, line)
    loop.call_soon_threadsafe(lines.put_nowait, b"")


def _prompt(content: str | list[dict[str, Any]]) -> AgentPrompt:
    if isinstance(content, str):
        return AgentPrompt(content)
    texts = [block["text"] for block in content if block["type"] == "text"]
    return AgentPrompt("\n".join(texts), images=sum(block["type"] == "image" for block in content))


if __name__ == "__main__":
    code = main()
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(code)  # the thread may still be waiting for a line on stdin
