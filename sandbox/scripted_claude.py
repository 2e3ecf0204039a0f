"""A scripted agent in place of `claude`: it speaks stream-json, and really asks the permission tool.

`python -P -m sandbox.scripted_claude -p --input-format stream-json …`, with the
real CLI's flags; unknown ones are ignored.
`CLAUDE_SCRIPT` names a file of scripts (see `sandbox.script_file`); without it, it shows a newcomer around.
`CLAUDE_SCRIPT_PACE` is the time between two chunks of text, in seconds.
"""

import argparse
import asyncio
import json
import os
import signal
import sys
import threading
from collections.abc import Callable, Coroutine, Mapping, Sequence
from contextlib import AsyncExitStack
from dataclasses import replace
from pathlib import Path
from typing import Any
from uuid import UUID, uuid4

from sandbox.script import ClaudeScript
from sandbox.script_file import load
from sandbox.scripted_agent import session_files
from sandbox.scripted_agent.agent_state import AgentPrompt, AgentState
from sandbox.scripted_agent.message_stream import ScriptExit
from sandbox.scripted_agent.output import WINDOW, Output, TurnSummary
from sandbox.scripted_agent.permission_answer import NoPermissionToolError
from sandbox.scripted_agent.permission_policy import MODES, PermissionPolicy
from sandbox.scripted_agent.permission_tool import McpError, connected
from sandbox.scripted_agent.tool_use import StoppedByPerson
from sandbox.scripted_agent.tools import ToolRunner
from sandbox.scripted_agent.turn import ScriptedTurn
from sandbox.scripted_agent.version import VERSION

SCRIPT_ENV = "CLAUDE_SCRIPT"
PACE_ENV = "CLAUDE_SCRIPT_PACE"
PACE = 0.03
RETRIES_ENV = "CLAUDE_CODE_MAX_RETRIES"
TERMINATED = 128 + signal.SIGTERM


class UsageError(Exception):
    """The command line, or a line of input, can't be followed."""


def main(argv: Sequence[str] | None = None) -> int:
    options = parse(sys.argv[1:] if argv is None else argv)
    if options.version:
        sys.stdout.write(f"{VERSION} (Claude Code, scripted)\n")
        return 0
    cwd = Path.cwd()
    try:
        session = _session(options, cwd)
        mode = _mode(options.permission_mode)
    except session_files.UnknownSessionError as unknown:
        _refuse_session(unknown)
        return 1
    except (UsageError, session_files.SessionError) as refused:
        sys.stderr.write(f"{refused}\n")
        return 1
    process = _Process(options, session, PermissionPolicy(mode, cwd))
    try:
        return asyncio.run(process.live())
    except (NoPermissionToolError, UsageError) as fatal:
        sys.stderr.write(f"{fatal}\n")
        return 1


def parse(argv: Sequence[str]) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="claude", allow_abbrev=False, add_help=False)
    parser.add_argument("-v", "--version", action="store_true")
    parser.add_argument("-r", "--resume")
    parser.add_argument("--session-id")
    parser.add_argument("--model", default="claude-scripted")
    parser.add_argument("--permission-mode", default="default")
    parser.add_argument("--permission-prompt-tool")
    parser.add_argument("--mcp-config", nargs="+", default=[])
    parser.add_argument("--include-partial-messages", action="store_true")
    parser.add_argument("--replay-user-messages", action="store_true")
    return parser.parse_known_args(argv)[0]


def _session(options: argparse.Namespace, cwd: Path) -> session_files.SessionFile:
    if options.resume is not None:
        return session_files.resume(options.resume, cwd)
    if options.session_id is None:
        return session_files.begin(str(uuid4()), cwd)
    try:
        UUID(options.session_id)
    except ValueError:
        raise UsageError("Error: Invalid session ID. Must be a valid UUID.") from None
    return session_files.begin(options.session_id, cwd)


def _mode(name: str) -> str:
    mode = "default" if name == "manual" else name
    if mode not in MODES:
        raise UsageError(f"error: option '--permission-mode <mode>' argument '{name}' is invalid.")
    return mode


def _refuse_session(unknown: session_files.UnknownSessionError) -> None:
    turn = TurnSummary(heard=-1)  # not even the prompt was heard
    out = Output(unknown.session_id, sys.stdout.buffer)
    out.result(turn, "", subtype="error_during_execution", is_error=True, errors=[str(unknown)])
    sys.stderr.write(f"{unknown}\n")


def _scripts() -> Callable[[str], ClaudeScript]:
    path = os.environ.get(SCRIPT_ENV)
    if path:
        return load(Path(path)).choose
    from sandbox.tour import choose  # noqa: PLC0415 - tests bring their scripts, and needn't read this one

    return choose


def _servers(configs: Sequence[str]) -> dict[str, Any]:
    """Read `--mcp-config`: files, or JSON in its place."""
    found: dict[str, Any] = {}
    for config in configs:
        text = config if config.lstrip().startswith("{") else Path(config).read_text(encoding="utf-8")
        found |= json.loads(text)["mcpServers"]
    return found


class _Process:
    """One life of the agent: prompts in, turns out, until its input ends."""

    def __init__(
        self, options: argparse.Namespace, session: session_files.SessionFile, policy: PermissionPolicy
    ) -> None:
        self._options = options
        self._prompts: asyncio.Queue[AgentPrompt | None] = asyncio.Queue()
        self._stop = asyncio.Event()
        """Somebody wants the turn to end."""
        self._leaving = False
        """No turn comes after this one."""
        self._input_ended = False
        self._busy = False
        self._fatal: Exception | None = None
        self._tasks: set[asyncio.Task[None]] = set()
        results = session.path.with_suffix("") / "tool-results"
        self._mind = AgentState(
            out=Output(session.id, sys.stdout.buffer),
            session=session,
            choose=_scripts(),
            policy=policy,
            workshop=ToolRunner(policy.cwd, results),
            permission_tool=options.permission_prompt_tool,
            model=options.model,
            pace=float(os.environ.get(PACE_ENV, "0" if SCRIPT_ENV in os.environ else str(PACE))),
            partial=options.include_partial_messages,
            retries=int(os.environ.get(RETRIES_ENV, "10")),
            spawn=self._spawn,
            say=self._prompts.put_nowait,
        )

    async def live(self) -> int:
        loop = asyncio.get_running_loop()
        loop.add_signal_handler(signal.SIGTERM, os._exit, TERMINATED)
        loop.add_signal_handler(signal.SIGINT, self._leave)
        lines: asyncio.Queue[bytes] = asyncio.Queue()
        threading.Thread(target=_read_input, args=(loop, lines), daemon=True).start()
        async with AsyncExitStack() as stack:
            await self._connect(stack)
            listening = asyncio.create_task(self._listen(lines))
            stack.callback(listening.cancel)
            try:
                return await self._answer_all()
            except ScriptExit as ended:
                sys.stdout.flush()
                os._exit(ended.code)  # as a crash would: nobody is told

    async def _connect(self, stack: AsyncExitStack) -> None:
        """Start the MCP servers, and wait for them: the real CLI does so before its first request."""
        for name, config in _servers(self._options.mcp_config).items():
            try:
                self._mind.servers[name] = await stack.enter_async_context(connected(config, self._mind.workshop.cwd))
            except (McpError, TimeoutError, KeyError):
                self._mind.failed.append(name)

    async def _answer_all(self) -> int:
        while not self._leaving and (prompt := await self._prompts.get()) is not None:
            self._busy = True
            await self._answer(ScriptedTurn(self._mind, prompt))
            self._busy = False
            self._end_if_idle()
        if self._fatal is not None:
            raise self._fatal
        return 0

    async def _answer(self, answer: ScriptedTurn) -> None:
        self._stop.clear()
        playing = asyncio.create_task(answer.play())
        stopping = asyncio.create_task(self._stop.wait())
        await asyncio.wait({playing, stopping}, return_when="FIRST_COMPLETED")
        stopping.cancel()
        playing.cancel()
        try:
            await playing
        except (asyncio.CancelledError, StoppedByPerson):
            answer.stop()

    async def _listen(self, lines: asyncio.Queue[bytes]) -> None:
        while line := await lines.get():
            try:
                self._hear(json.loads(line))
            except ValueError as error:
                self._fail(UsageError(f"Error parsing streaming input line: {error}"))
        self._input_ended = True
        self._end_if_idle()

    def _hear(self, message: Mapping[str, Any]) -> None:
        match message:
            case {"type": "user", "message": {"content": content}}:
                prompt = _prompt(content)
                if self._options.replay_user_messages:
                    prompt = replace(
                        prompt, replay={key: message[key] for key in ("message", "uuid") if key in message}
                    )
                self._prompts.put_nowait(prompt)
            case {"type": "control_request", "request_id": request_id, "request": request}:
                self._control(request_id, request)
            case _:
                pass

    def _control(self, request_id: str, request: Mapping[str, Any]) -> None:
        mind = self._mind
        match request:
            case {"subtype": "interrupt"}:
                mind.out.control(request_id, {"still_queued": []})
                self._stop.set()
            case {"subtype": "set_permission_mode", "mode": mode} if mode in MODES:
                mind.out.control(request_id, {"mode": mode})
                mind.change_mode(mode)
            case {"subtype": "set_permission_mode"}:
                error = f"Cannot set permission mode: must be one of {', '.join(MODES)}"
                mind.out.control_error(request_id, error, "invalid_mode")
            case {"subtype": "set_model", "model": model}:
                mind.model = model
                mind.out.replay(f"<local-command-stdout>Set model to `{model}`</local-command-stdout>")
                mind.out.control(request_id, {"model": model})
            case {"subtype": "apply_flag_settings", "settings": dict(settings)}:
                mind.policy.set_flags((settings.get("permissions") or {}).get("allow") or [])
                mind.out.control(request_id, {})
            case {"subtype": "initialize"}:
                mind.out.control(request_id, _introduction(mind))
            case {"subtype": "get_context_usage"}:
                mind.out.control(request_id, _context(mind))
            case {"subtype": subtype}:
                error = f"Unsupported control request subtype: {subtype}"
                mind.out.control_error(request_id, error, "unsupported_request")

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
        """Let the process go when its input has ended and nothing is left to do, in the background either."""
        if self._input_ended and not self._busy and not self._tasks:
            self._prompts.put_nowait(None)

    def _fail(self, error: Exception) -> None:
        self._fatal = error
        self._leave()

    def _leave(self) -> None:
        self._leaving = True
        self._stop.set()
        self._prompts.put_nowait(None)


def _read_input(loop: asyncio.AbstractEventLoop, lines: "asyncio.Queue[bytes]") -> None:
    """Pass on each line, and an empty one at the end; in a thread, because stdin may be anything."""
    while line := sys.stdin.buffer.readline():
        loop.call_soon_threadsafe(lines.put_nowait, line)
    loop.call_soon_threadsafe(lines.put_nowait, b"")


def _prompt(content: str | list[dict[str, Any]]) -> AgentPrompt:
    if isinstance(content, str):
        return AgentPrompt(content)
    texts = [block["text"] for block in content if block["type"] == "text"]
    return AgentPrompt("\n".join(texts), images=sum(block["type"] == "image" for block in content))


def _introduction(mind: AgentState) -> dict[str, Any]:
    return {
        "commands": [{"name": "compact", "description": "Free up context", "argumentHint": "<instructions>"}],
        "agents": [{"name": "general-purpose", "description": "Plays a script of its own"}],
        "output_style": "default",
        "models": [{"value": "default", "displayName": "Scripted", "description": "Plays a script"}],
        "account": {"tokenSource": "none", "apiKeySource": "none"},
        "pid": os.getpid(),
        "claude_code_version": VERSION,
        "current_permission_mode": mind.policy.mode,
    }


def _context(mind: AgentState) -> dict[str, Any]:
    used = mind.out.total.tokens_in
    return {
        "categories": [{"name": "Messages", "tokens": used}],
        "totalTokens": used,
        "maxTokens": WINDOW,
        "percentage": round(100 * used / WINDOW),
        "model": mind.model,
    }


if __name__ == "__main__":
    code = main()
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(code)  # the thread at stdin may still wait for a line
