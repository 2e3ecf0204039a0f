"""Reads the journals of earlier turns again: to show their end, or to tell a new session what was said."""

from collections.abc import Mapping
from typing import Any

from bot.conversations.parts import ConversationParts
from bot.conversations.session_recap import RECALLED, recap
from bot.conversations.shown_turns import ShownTurn
from bot.events import ExitCause, ProcessExit, Result
from bot.records import RunRecord, TurnRecord
from bot.render.turns.errors import process_died

NEVER_STARTED = "Claude could not be started for this message. Write it again to try once more."
SESSION_LOST = (
    "Claude no longer knows this session. Write again to start a new one here; Claude is told what was said before."
)


async def replay(record: TurnRecord, parts: ConversationParts) -> ShownTurn:
    """Read an ended turn again: its journal, and what was decided in it, tell how it looks."""
    shown = parts.turns.again(record)
    turn = shown.turn
    if not record.run:
        turn.fail(NEVER_STARTED)
        return shown
    async with parts.ports.host.adopt(RunRecord(record.run, parts.id, "", 0.0)) as process:
        async for end, event in process.events(record.offset):
            if (record.end is not None and end <= record.end) or turn.owns(event):
                parts.turns.take(shown, event)
        if turn.ended is None:
            turn.fail(why_ended(process.exit))
    return shown


async def recap_of(parts: ConversationParts) -> list[Mapping[str, Any]]:
    """Give what a new session should know of the one that is lost; nothing where nothing was said."""
    said = []
    for turn, prompt in parts.ports.store.told(parts.id, RECALLED):
        answer = ""
        async with parts.ports.host.adopt(RunRecord(turn.run, parts.id, "", 0.0)) as process:
            async for end, event in process.events(turn.offset):
                if isinstance(event, Result) and end == turn.end:
                    answer = event.text
        said.append((prompt, answer))
    return [{"type": "text", "text": recap(said)}] if said else []


def why_ended(end: ProcessExit) -> str:
    """Say why a turn saw no result, with the cure."""
    return SESSION_LOST if end.cause is ExitCause.SESSION_LOST else process_died(end)
