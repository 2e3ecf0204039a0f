"""Streams the agent's messages, block by block."""

import asyncio
import json
import sys
from collections.abc import Sequence
from pathlib import Path
from uuid import uuid4

from sandbox.messages_api import event_stream
from sandbox.scripted_claude.agent_state import AgentState
from sandbox.scripted_claude.output import TurnSummary
from sandbox.scripts.script import Block, Complain, Exit, Hang, RawLine, Say, Think, Use, WaitFor

POLL = 0.01
CONTEXT = 1_000
"""Tokens in the context of an empty conversation."""


class ScriptExit(Exception):  # noqa: N818 - the script asks for it
    """The script says that the process exits here."""

    def __init__(self, code: int) -> None:
        super().__init__(code)
        self.code = code


class MessageStream:
    """Writes the messages of one turn."""

    def __init__(self, state: AgentState, turn: TurnSummary) -> None:
        self._state = state
        self._turn = turn
        self._open = False
        """Whether a message has been started and not finished."""

    async def stream(self, blocks: Sequence[Block]) -> dict[str, Use]:
        """Stream a message; return its tool uses by id."""
        message = event_stream.message(f"msg_{uuid4().hex[:24]}", self._state.model, CONTEXT)
        self._turn.stop_reason = None
        self._event({"type": "message_start", "message": message})
        self._open = True
        uses: dict[str, Use] = {}
        index = written = 0
        for block in blocks:
            if not isinstance(block, Say | Think | Use):
                await play_silent_block(self._state, block)
                continue
            use_id = f"toolu_{uuid4().hex[:24]}"
            finished = event_stream.content(block, use_id)
            await self._stream(index, block, finished)
            self._state.out.assistant({**message, "content": [finished]})
            self._event(event_stream.block_stop(index))
            if isinstance(block, Use):
                uses[use_id] = block
            elif isinstance(block, Say):
                self._turn.text = block.text
                self._state.session.add("assistant", block.text)
            written += event_stream.tokens(json.dumps(finished))
            index += 1
        self._turn.tokens.add(CONTEXT, written)
        self._turn.stop_reason = event_stream.stop_reason(blocks)
        self._event(event_stream.message_delta(blocks, written))
        self._event({"type": "message_stop"})
        self._open = False
        return uses

    def break_off(self) -> None:
        """End a message that was interrupted."""
        if self._open:
            delta = {"stop_reason": None, "stop_sequence": None}
            self._event({"type": "message_delta", "delta": delta, "usage": {"output_tokens": 1}})
            self._event({"type": "message_stop"})
            self._open = False

    async def _stream(self, index: int, block: Say | Think | Use, finished: event_stream.Event) -> None:
        self._event(event_stream.block_start(index, finished))
        pace = 0.0
        if not isinstance(block, Use):
            pace = self._state.pace if block.pace is None else block.pace
        thought = 0
        for delta in event_stream.deltas(index, finished):
            if delta["delta"]["type"] == "thinking_delta":
                more = event_stream.tokens(delta["delta"]["thinking"])
                thought += more
                self._state.out.system("thinking_tokens", estimated_tokens=thought, estimated_tokens_delta=more)
            self._event(delta)
            await asyncio.sleep(pace)

    def _event(self, event: event_stream.Event) -> None:
        if self._state.partial:
            self._state.out.event(event)


async def play_silent_block(state: AgentState, block: Block) -> None:
    """Play a block that writes no text."""
    match block:
        case Hang():
            await asyncio.Event().wait()
        case WaitFor(path):
            while not Path(path).exists():  # noqa: ASYNC110, ASYNC240 - the file comes from another process
                await asyncio.sleep(POLL)
        case RawLine(text, repeat):
            state.out.raw(text * repeat)
        case Complain(text):
            sys.stderr.write(text + "\n")
            sys.stderr.flush()
        case Exit(code):
            raise ScriptExit(code)
        case _:
            pass
