"""Reads the journals of earlier turns again: to show their end, or to tell a new session what was said."""

from bot.conversations.conversation_parts import ConversationParts
from bot.conversations.shown_turns import ShownTurn
from bot.events import ExitCause, ProcessExit
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


def why_ended(end: ProcessExit) -> str:
    """Say why a turn saw no result, with the cure."""
    return SESSION_LOST if end.cause is ExitCause.SESSION_LOST else process_died(end)
