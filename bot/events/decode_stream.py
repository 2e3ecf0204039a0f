"""Decodes the deltas of a message that is being written, which are most of the CLI's output."""

from typing import Any

from bot.events.event import Event, Unknown
from bot.events.fields import Raw, integer, mapping, parent_of, string, string_or_none, usage_of
from bot.events.stream_events import (
    BlockStarted,
    BlockStopped,
    InputDelta,
    MessageDelta,
    MessageStarted,
    MessageStopped,
    TextDelta,
    ThinkingDelta,
)


def stream_event(raw: Raw) -> Event:
    """Decode a stream event. The most common kinds are checked first."""
    event = mapping(raw, "event")
    kind = event.get("type")
    index = event.get("index")
    if isinstance(index, int):
        known = _block_event(kind, index, event, parent_of(raw))
    else:
        known = _message_event(kind, event, parent_of(raw))
    return Unknown(f"stream_event/{kind}", raw) if known is None else known


def _block_event(kind: Any, index: int, event: Raw, parent: str | None) -> Event | None:
    match kind:
        case "content_block_delta":
            return _delta(index, mapping(event, "delta"), parent)
        case "content_block_start":
            return BlockStarted(index, string(mapping(event, "content_block"), "type"), parent)
        case "content_block_stop":
            return BlockStopped(index, parent)
    return None


def _message_event(kind: Any, event: Raw, parent: str | None) -> Event | None:
    match kind:
        case "message_start":
            message = mapping(event, "message")
            return MessageStarted(string(message, "id"), string(message, "model"), usage_of(message), parent)
        case "message_delta":
            output = integer(mapping(event, "usage"), "output_tokens")
            return MessageDelta(string_or_none(mapping(event, "delta"), "stop_reason"), output, parent)
        case "message_stop":
            return MessageStopped(parent)
    return None


def _delta(index: int, delta: Raw, parent: str | None) -> Event | None:
    match delta.get("type"):
        case "text_delta":
            return TextDelta(index, string(delta, "text"), parent)
        case "input_json_delta":
            return InputDelta(index, string(delta, "partial_json"), parent)
        case "thinking_delta":
            return ThinkingDelta(index, string(delta, "thinking"), parent)
    return None
