"""A scripted Messages API on loopback, for running the real `claude` without an account."""

import asyncio
import json
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, replace
from itertools import count
from pathlib import Path
from typing import Any

from aiohttp import web

from sandbox.messages_api import event_stream
from sandbox.scripts.script import (
    NOTIFIED,
    Block,
    Break,
    ClaudeScript,
    Fail,
    Hang,
    Say,
    StepContext,
    Think,
    Use,
    UseResult,
    WaitFor,
    echo,
    last_marker,
    script,
)

POLL = 0.01
MAX_BODY = 256 * 1024 * 1024  # a long session with images
SIDE_ANSWER = "A scripted title"
ASIDES = ("<system-reminder>", "[Request interrupted", "[Image: source:")
"""The beginnings of texts that the CLI itself writes in the place of a prompt."""


@dataclass(frozen=True, slots=True)
class ApiCall:
    """One request from the CLI, and the script and step that answer it."""

    body: Mapping[str, Any]
    marker: str | None
    """The marker that chose the script; None for the default script and side calls."""
    step: int
    seen: StepContext
    side: bool = False
    """Whether this is not part of the conversation, for example a request for a title; such a call has no tools."""

    @property
    def tool_results(self) -> str:
        """The results of Claude's tools, joined."""
        return "\n".join(outcome.text for outcome in self.seen.outcomes)


class MessagesApi:
    """The scripts by marker, and every call so far."""

    def __init__(self) -> None:
        self.url = ""
        self.calls: list[ApiCall] = []
        self.default = script(echo)
        self._scripts: dict[str, ClaudeScript] = {NOTIFIED: script([Say("It is finished.")])}
        self._called = asyncio.Condition()
        self._attempts: dict[str, int] = {}
        self._ids = count(1)

    def on(self, marker: str, play: ClaudeScript) -> None:
        """Answer a prompt that contains the marker with this script; the last marker in the prompt wins."""
        self._scripts.pop(marker, None)
        self._scripts[marker] = play

    async def reached(self, marker: str, step: int = 0, *, within: float = 30.0) -> ApiCall:
        """Wait until the CLI has requested this step."""
        async with asyncio.timeout(within), self._called:
            while True:
                for call in self.calls:
                    if (call.marker, call.step) == (marker, step):
                        return call
                await self._called.wait()

    def environment(self, home: Path) -> dict[str, str]:
        """Return the environment for a `claude` that uses this API and keeps its files under `home`."""
        return {
            "ANTHROPIC_BASE_URL": self.url,
            "ANTHROPIC_API_KEY": "sk-ant-scripted",
            "HOME": str(home),
            "PATH": "/usr/local/bin:/usr/bin:/bin",
            "LANG": "C.UTF-8",
            "SHELL": "/bin/bash",
            "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1",
            "DISABLE_TELEMETRY": "1",
            "DISABLE_AUTOUPDATER": "1",
            "DISABLE_ERROR_REPORTING": "1",
            "DISABLE_COST_WARNINGS": "1",
        }

    async def messages(self, request: web.Request) -> web.StreamResponse:
        body = await request.json()
        call, play = self._choose(body)
        async with self._called:
            self.calls.append(call)
            self._called.notify_all()
        attempt = self._attempt(body, call)
        blocks = [block for block in play.at(call.step, call.seen) if not _is_used_up(block, attempt)]
        if blocks and isinstance(blocks[0], Fail):
            return _failure(blocks[0])
        number = next(self._ids)
        start = event_stream.message(f"msg_{number:024d}", body["model"], event_stream.tokens(json.dumps(body)))
        if body.get("stream"):
            return await _stream(request, start, blocks)
        return await _respond_whole(request, start, blocks)

    def _choose(self, body: Mapping[str, Any]) -> tuple[ApiCall, ClaudeScript]:
        messages = body["messages"]
        seen = StepContext("", _outcomes(messages), notes(messages))
        if not body.get("tools"):
            return ApiCall(body, None, 0, seen, side=True), script([Say(SIDE_ANSWER)])
        spoken = [(index, text) for index, message in enumerate(messages) for text in prompts(message)]
        if not spoken:
            return ApiCall(body, None, 0, seen), self.default
        index, text = spoken[-1]
        earlier = tuple(before for _, before in spoken[:-1])
        seen = replace(seen, prompt=text, earlier=earlier, images=_count(messages[index], "image"))
        marker = last_marker(text, self._scripts)
        play = self.default if marker is None else self._scripts[marker]
        return ApiCall(body, marker, _step(messages, index), seen), play

    def _attempt(self, body: Mapping[str, Any], call: ApiCall) -> int:
        """Count the attempts at this call: the CLI repeats it after a failure."""
        question = json.dumps([call.marker, call.step, len(body["messages"]), call.seen.prompt])
        self._attempts[question] = self._attempts.get(question, -1) + 1
        return self._attempts[question]


@asynccontextmanager
async def serve(port: int = 0) -> AsyncIterator[MessagesApi]:
    """Serve the API on loopback inside the block."""
    api = MessagesApi()
    app = web.Application(client_max_size=MAX_BODY)
    app.router.add_post("/v1/messages", api.messages)
    runner = web.AppRunner(app, handler_cancellation=True, shutdown_timeout=0.1)
    await runner.setup()
    try:
        site = web.TCPSite(runner, "127.0.0.1", port)
        await site.start()
        api.url = f"http://127.0.0.1:{runner.addresses[0][1]}"
        yield api
    finally:
        await runner.cleanup()


async def _stream(request: web.Request, start: event_stream.Event, blocks: Sequence[Block]) -> web.StreamResponse:
    response = web.StreamResponse(headers={"Content-Type": "text/event-stream", "request-id": start["id"]})
    await response.prepare(request)

    async def send(event: event_stream.Event) -> None:
        await response.write(f"event: {event['type']}\ndata: {json.dumps(event)}\n\n".encode())

    await send({"type": "message_start", "message": start})
    index = written = 0
    for block in blocks:
        match block:
            case Say() | Think() | Use():
                finished = event_stream.content(block, _use_id(start, index))
                await send(event_stream.block_start(index, finished))
                for delta in event_stream.deltas(index, finished):
                    await send(delta)
                    await asyncio.sleep((not isinstance(block, Use) and block.pace) or 0)
                await send(event_stream.block_stop(index))
                index += 1
                written += event_stream.tokens(json.dumps(finished))
            case Break():
                _hang_up(request)
                return response
            case _:
                await _play_silent_block(block)
    await send(event_stream.message_delta(blocks, written))
    await send({"type": "message_stop"})
    await response.write_eof()
    return response


async def _respond_whole(request: web.Request, start: event_stream.Event, blocks: Sequence[Block]) -> web.Response:
    """Respond without streaming, which the CLI falls back to when a stream breaks."""
    for block in blocks:
        if isinstance(block, Break):
            _hang_up(request)
        await _play_silent_block(block)
    parts = [block for block in blocks if isinstance(block, Say | Think | Use)]
    finished = [event_stream.content(part, _use_id(start, index)) for index, part in enumerate(parts)]
    end = {"content": finished, "stop_reason": event_stream.stop_reason(blocks)}
    return web.json_response({**start, **end}, headers={"request-id": start["id"]})


def _hang_up(request: web.Request) -> None:
    if request.transport is not None:
        request.transport.close()  # the client still gets everything sent so far


async def _play_silent_block(block: Block) -> None:
    match block:
        case Hang():
            await asyncio.Event().wait()
        case WaitFor(path):
            while not Path(path).exists():  # noqa: ASYNC110, ASYNC240 - the file comes from another process
                await asyncio.sleep(POLL)
        case _:
            pass


def _failure(fail: Fail) -> web.Response:
    error = {"type": "error", "error": {"type": fail.kind, "message": fail.message}, "request_id": "req_scripted"}
    return web.json_response(error, status=fail.status, headers={"request-id": "req_scripted"})


def _is_used_up(block: Block, attempt: int) -> bool:
    return isinstance(block, Fail | Break) and block.times is not None and attempt >= block.times


def _use_id(start: event_stream.Event, index: int) -> str:
    return f"toolu_{start['id'].removeprefix('msg_')}_{index}"


def prompts(message: Mapping[str, Any]) -> list[str]:
    """Return the prompts in a message, from a person or from the CLI; a message of tool results has none."""
    if message["role"] != "user":
        return []
    return [text for text in _texts(message) if NOTIFIED in text or not text.lstrip().startswith(ASIDES)]


def notes(messages: Sequence[Mapping[str, Any]]) -> str:
    """Return the CLI's notes to Claude other than prompts, such as the file for the plan."""
    found: list[str] = []
    for message in messages:
        if message["role"] != "assistant":
            spoken = prompts(message)
            found += [text for text in _texts(message) if text not in spoken]
    return "\n".join(found)


def _texts(message: Mapping[str, Any]) -> list[str]:
    content = message["content"]
    if isinstance(content, str):
        return [content]
    return [block["text"] for block in content if block["type"] == "text"]


def _count(message: Mapping[str, Any], kind: str) -> int:
    content = message["content"]
    return 0 if isinstance(content, str) else sum(block["type"] == kind for block in content)


def _outcomes(messages: Sequence[Mapping[str, Any]]) -> tuple[UseResult, ...]:
    """Collect the results of the last assistant message's tools."""
    found: list[UseResult] = []
    for message in reversed(messages):
        if message["role"] == "assistant":
            break
        if isinstance(message["content"], list):
            blocks = [block for block in message["content"] if block["type"] == "tool_result"]
            found[:0] = [UseResult(_plain(block.get("content", "")), bool(block.get("is_error"))) for block in blocks]
    return tuple(found)


def _plain(value: str | list[dict[str, Any]]) -> str:
    if isinstance(value, str):
        return value
    return "\n".join(part.get("text", f"[{part['type']}]") for part in value)


def _step(messages: Sequence[Mapping[str, Any]], since: int) -> int:
    return sum(message["role"] == "assistant" for message in messages[since:])
