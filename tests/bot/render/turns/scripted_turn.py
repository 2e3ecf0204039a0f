"""Turns for tests: played from recordings, or built event by event."""

import os
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

from bot.events import (
    Assistant,
    Block,
    BlockStarted,
    BlockStopped,
    Event,
    Init,
    MessageStarted,
    Result,
    TextBlock,
    TextDelta,
    ToolResult,
    ToolUse,
    Usage,
    User,
    decode,
)
from bot.messages import MESSAGE_LIMIT, Accent, Box, Button, Buttons, Message, Text
from bot.render.turns.turn import TurnView
from bot.transcript import PreviousTurn, Turn, starts_turn

START = 1_800_000_000.0
STREAMS = Path(__file__).parents[3] / "recordings"
GOLDEN = Path(__file__).parent / "golden"


class ScriptedTurn:
    """A turn, with a method for each thing that can happen in it."""

    def __init__(self, **about: Any) -> None:
        self.turn = Turn(prompted_by=7, started_at=START, previous=PreviousTurn(**about) if about else None)
        self.view = TurnView(self.turn)
        self.cards: dict[str, Message] = {}
        self.at = START
        self._messages = 0
        self.apply(Init("s", "/project", "claude-opus-5-5", "default"))

    def apply(self, *events: Event, after: float = 0.0) -> None:
        for event in events:
            self.at += after
            self.turn.apply(event, self.at)

    def begins(self) -> None:
        self._messages += 1
        self.apply(MessageStarted(f"m{self._messages}", "claude-opus-5-5", Usage(30_000, 1)))

    def says(self, text: str, *, pieces: Sequence[str] | None = None) -> None:
        self.begins()
        self.apply(BlockStarted(0, "text"), *(TextDelta(0, piece) for piece in pieces or [text]))
        self.apply(*self.finishes(TextBlock(text)), BlockStopped(0))

    def finishes(self, *blocks: Block) -> list[Event]:
        return [Assistant(f"m{self._messages}", "claude-opus-5-5", (block,)) for block in blocks]

    def uses(self, *uses: ToolUse) -> None:
        self.begins()
        self.apply(*self.finishes(*uses))

    def gets(
        self, tool_use_id: str, text: str = "", *, error: bool = False, after: float = 0.0, **structured: Any
    ) -> None:
        result = ToolResult(tool_use_id, is_error=error, text=text, structured=structured or None)
        self.apply(User((result,)), after=after)

    def asks(self, ticket_id: str, tool_use_id: str = "") -> None:
        self.turn.place_card(ticket_id, tool_use_id)
        self.cards[ticket_id] = card(ticket_id, open_=True)

    def answers(self, ticket_id: str, *, allowed: bool = True) -> None:
        self.turn.answered(ticket_id, allowed=allowed, at=self.at)
        self.cards[ticket_id] = card(ticket_id, open_=False)

    def waits(self, seconds: float) -> None:
        """Let this many seconds pass."""
        self.at += seconds
        self.turn.start_unasked(self.at)

    def ends(self, **fields: Any) -> None:
        told = {"num_turns": self._messages, "duration_ms": (self.at - START) * 1000, "cost": 0.21, **fields}
        windows = {"claude-opus-5-5": 200_000}
        self.apply(Result("success", told.pop("is_error", False), context_windows=windows, **told))

    def shown(self) -> str:
        return written(self.view.messages(self.cards))


def card(ticket_id: str, *, open_: bool) -> Message:
    if not open_:
        return Message(f"card-{ticket_id}", components=(Box((Text("Allowed by you."),), Accent.ALLOWED),))
    buttons = Buttons((Button("allow", "Allow"), Button("deny", "Deny")))
    return Message(f"card-{ticket_id}", components=(Box((Text("May I?"), buttons), Accent.WAITING),))


def written(messages: Iterable[Message]) -> str:
    """Format messages for a person to review."""
    parts = []
    for message in messages:
        files = "".join(f", with {file.name} ({len(file.content):,} bytes)" for file in message.files)
        body = message.text or "(the card)"
        parts.append(f"<!-- {message.key}{files} -->\n{body}\n")
    return "\n".join(parts)


def played(path: Path, *, polled: bool = False) -> list[TurnView]:
    """Play a recording as a conversation does, turn by turn."""
    views: list[TurnView] = []
    turn: Turn | None = None
    previous = PreviousTurn()
    for line in path.read_bytes().splitlines():
        event = decode(line)
        if owner := next((view.turn for view in views if view.turn.over and view.turn.owns(event)), None):
            owner.apply(event, START)
            continue
        if turn is None:
            if not (isinstance(event, Init) or starts_turn(event)):
                continue
            turn = Turn(started_at=START, previous=previous)
            views.append(TurnView(turn))
        turn.apply(event, START)
        if polled:
            views[-1].messages({})
        if turn.ended:
            previous, turn = turn.as_previous(), None
    return views


def units(text: str) -> int:
    return len(text.encode("utf-16-le", "surrogatepass")) // 2


def in_one_piece(text: str) -> list[Message]:
    """Return the messages of a turn that only says this."""
    scripted = ScriptedTurn()
    scripted.begins()
    scripted.apply(*scripted.finishes(TextBlock(text)))
    scripted.ends()
    return scripted.view.messages({})


def judged(name: str, stages: list[str]) -> None:
    """Compare with a golden file; `GOLDEN=write pytest …` rewrites it."""
    shown = "\n=====\n\n".join(stages)
    golden = GOLDEN / f"{name}.md"
    if os.environ.get("GOLDEN") == "write":
        golden.write_text(shown, "utf-8")
    assert shown == golden.read_text("utf-8")


def check(messages: Sequence[Message]) -> None:
    """Check what Discord and a reader expect of every message."""
    keys = [message.key for message in messages]
    assert len(keys) == len(set(keys))
    assert messages
    for message in messages:
        if message.components:
            continue
        assert message.text.strip()
        assert units(message.text) <= MESSAGE_LIMIT
        assert message.text.count("```") % 2 == 0
