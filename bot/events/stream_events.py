"""Events about a message that is being written."""

from dataclasses import dataclass

from bot.events.usage import Usage


@dataclass(frozen=True, slots=True)
class MessageStarted:
    message_id: str
    model: str
    usage: Usage
    parent: str | None = None
    """The tool call of the subagent that writes; None for Claude itself. The same applies to all events below."""


@dataclass(frozen=True, slots=True)
class BlockStarted:
    index: int
    kind: str
    parent: str | None = None


@dataclass(frozen=True, slots=True)
class TextDelta:
    index: int
    text: str
    parent: str | None = None


@dataclass(frozen=True, slots=True)
class ThinkingDelta:
    index: int
    text: str
    parent: str | None = None


@dataclass(frozen=True, slots=True)
class InputDelta:
    """A part of a tool's input; the finished block has all of it."""

    index: int
    json: str
    parent: str | None = None


@dataclass(frozen=True, slots=True)
class BlockStopped:
    index: int
    parent: str | None = None


@dataclass(frozen=True, slots=True)
class MessageDelta:
    stop_reason: str | None
    output_tokens: int
    parent: str | None = None


@dataclass(frozen=True, slots=True)
class MessageStopped:
    parent: str | None = None
