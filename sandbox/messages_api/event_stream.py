"""Converts a script's blocks to the events that the Messages API streams."""

import json
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from sandbox.scripts.script import Block, Say, Think, Use

CHUNK = 24

Event = dict[str, Any]


def content(block: Say | Think | Use, use_id: str) -> Event:
    """Return a block as it appears in a finished message."""
    match block:
        case Say(text):
            return {"type": "text", "text": text}
        case Think(text):
            return {"type": "thinking", "thinking": text, "signature": "c2NyaXB0ZWQ="}
        case Use(tool, input_):
            return {"type": "tool_use", "id": use_id, "name": tool, "input": dict(input_)}


def message(message_id: str, model: str, tokens: int) -> Event:
    """Return a message without content."""
    return {
        "id": message_id,
        "type": "message",
        "role": "assistant",
        "model": model,
        "content": [],
        "stop_reason": None,
        "stop_sequence": None,
        "usage": usage(tokens, 1),
    }


def usage(tokens_in: int, tokens_out: int) -> Event:
    return {
        "input_tokens": tokens_in,
        "cache_creation_input_tokens": 0,
        "cache_read_input_tokens": 0,
        "output_tokens": tokens_out,
    }


def block_start(index: int, finished: Mapping[str, Any]) -> Event:
    """Start a block; its text or input follows in deltas."""
    empty: dict[str, Event] = {
        "text": {"text": ""},
        "thinking": {"thinking": "", "signature": ""},
        "tool_use": {"input": {}},
    }
    block = {**finished, **empty[finished["type"]]}
    return {"type": "content_block_start", "index": index, "content_block": block}


def deltas(index: int, finished: Mapping[str, Any]) -> Iterator[Event]:
    """Split a finished block into deltas."""
    for delta in _deltas(finished):
        yield {"type": "content_block_delta", "index": index, "delta": delta}


def block_stop(index: int) -> Event:
    return {"type": "content_block_stop", "index": index}


def message_delta(blocks: Sequence[Block], tokens: int) -> Event:
    """End a message with its stop reason and usage."""
    delta = {"stop_reason": stop_reason(blocks), "stop_sequence": None}
    return {"type": "message_delta", "delta": delta, "usage": {"output_tokens": tokens}}


def stop_reason(blocks: Sequence[Block]) -> str:
    return "tool_use" if any(isinstance(block, Use) for block in blocks) else "end_turn"


def tokens(value: str) -> int:
    """Estimate the tokens of a text: four characters each is close enough here."""
    return max(1, len(value) // 4)


def _deltas(finished: Mapping[str, Any]) -> Iterator[Event]:
    # A tool's input is sent in one piece: the CLI reads it only when the block is finished.
    match finished:
        case {"type": "text", "text": text}:
            yield from ({"type": "text_delta", "text": chunk} for chunk in chunks(text))
        case {"type": "thinking", "thinking": text, "signature": signature}:
            yield from ({"type": "thinking_delta", "thinking": chunk} for chunk in chunks(text))
            yield {"type": "signature_delta", "signature": signature}
        case {"type": "tool_use", "input": input_}:
            yield {"type": "input_json_delta", "partial_json": json.dumps(input_, ensure_ascii=False)}


def chunks(text: str) -> Iterator[str]:
    for start in range(0, len(text), CHUNK):
        yield text[start : start + CHUNK]
