"""Reads the journals of earlier turns again, to show how they ended."""

from bot.conversations.conversation_parts import ConversationParts
from bot.conversations.shown_turns import ShownTurn
from bot.events import ExitCause, ProcessExit
from bot.records import RunRecord, TurnRecord
from bot.render.turns.process_died import process_died

NEVER_STARTED = "Claude could not be started for this message. Write it again to retry."
SESSION_LOST = (
    "Claude no longer knows this session. Write again to start a new one here; Claude will be told what was said."
)


async def replay(record: TurnRecord, parts: ConversationParts) -> ShownTurn:
    """Rebuild an ended turn from its journal and its decisions."""
    shown = parts.turns.rebuild(record)
    turn = shown.turn
    if not record.run:
        turn.fail(NEVER_STARTED)
        return shown
    async with parts.ports.host.adopt(RunRecord(record.run, parts.id, "", 0.0)) as process:
        async for end, event in process.events(record.offset):
            if (record.end is not None and end <= record.end) or turn.owns(event):
                parts.turns.apply(shown, event)
        if turn.ended is None:
            turn.fail(describe_exit(process.exit))
    return shown


def describe_exit(end: ProcessExit) -> str:
    """Say why a turn has no result, and what to do about it."""
    return SESSION_LOST if end.cause is ExitCause.SESSION_LOST else process_died(end)
