"""What the agent says: a message, streamed block by block."""

import asyncio
import json
import sys
from collections.abc import Sequence
from pathlib import Path
from uuid import uuid4

from sandbox import api_stream
from sandbox.script import Block, Complain, Exit, Hang, RawLine, Say, Think, Use, WaitFor
from sandbox.scripted_agent.agent_state import AgentState
from sandbox.scripted_agent.output import TurnSummary

POLL = 0.01
CONTEXT = 1_000
"""What the conversation costs before anything is said, in tokens."""


class ScriptExit(Exception):  # noqa: N818 - a script's wish, not an error
    """The script ends the process here."""

    def __init__(self, code: int) -> None:
        super().__init__(code)
        self.code = code


class MessageStream:
    """The messages of one turn."""

    def __init__(self, mind: AgentState, turn: TurnSummary) -> None:
        self._mind = mind
        self._turn = turn
        self._open = False
        """A message was started and not finished."""

    async def speak(self, blocks: Sequence[Block]) -> dict[str, Use]:
        """Stream a message; gives the tools that it wants to use, by their ids."""
        message = api_stream.message(f"msg_{uuid4().hex[:24]}", self._mind.model, CONTEXT)
        self._turn.stop_reason = None
        self._event({"type": "message_start", "message": message})
        self._open = True
        uses: dict[str, Use] = {}
        index = written = 0
        for block in blocks:
            if not isinstance(block, Say | Think | Use):
                await play_silent_block(self._mind, block)
                continue
            use_id = f"toolu_{uuid4().hex[:24]}"
            finished = api_stream.content(block, use_id)
            await self._stream(index, block, finished)
            self._mind.out.assistant({**message, "content": [finished]})
            self._event(api_stream.closing(index))
            if isinstance(block, Use):
                uses[use_id] = block
            elif isinstance(block, Say):
                self._turn.text = block.text
                self._mind.session.add("assistant", block.text)
            written += api_stream.tokens(json.dumps(finished))
            index += 1
        self._turn.tally.add(CONTEXT, written)
        self._turn.stop_reason = api_stream.stop_reason(blocks)
        self._event(api_stream.message_delta(blocks, written))
        self._event({"type": "message_stop"})
        self._open = False
        return uses

    def break_off(self) -> None:
        """Close a message that was interrupted."""
        if self._open:
            delta = {"stop_reason": None, "stop_sequence": None}
            self._event({"type": "message_delta", "delta": delta, "usage": {"output_tokens": 1}})
            self._event({"type": "message_stop"})
            self._open = False

    async def _stream(self, index: int, block: Say | Think | Use, finished: api_stream.Event) -> None:
        self._event(api_stream.opening(index, finished))
        pace = 0.0
        if not isinstance(block, Use):
            pace = self._mind.pace if block.pace is None else block.pace
        thought = 0
        for delta in api_stream.deltas(index, finished):
            if delta["delta"]["type"] == "thinking_delta":
                more = api_stream.tokens(delta["delta"]["thinking"])
                thought += more
                self._mind.out.system("thinking_tokens", estimated_tokens=thought, estimated_tokens_delta=more)
            self._event(delta)
            await asyncio.sleep(pace)

    def _event(self, event: api_stream.Event) -> None:
        if self._mind.partial:
            self._mind.out.event(event)


async def play_silent_block(mind: AgentState, block: Block) -> None:
    """Do what a block does that says nothing."""
    match block:
        case Hang():
            await asyncio.Event().wait()
        case WaitFor(path):
            while not Path(path).exists():  # noqa: ASYNC110, ASYNC240 - the file comes from another process
                await asyncio.sleep(POLL)
        case RawLine(text, repeat):
            mind.out.raw(text * repeat)
        case Complain(text):
            sys.stderr.write(text + "\n")
            sys.stderr.flush()
        case Exit(code):
            raise ScriptExit(code)
        case _:
            pass
