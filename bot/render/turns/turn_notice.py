"""The turn notice: one line in the channel that says how a turn in a thread ended."""

from bot.config import Mention
from bot.messages import Message
from bot.records import TurnRecord
from bot.render.turns.footer import money, outcome
from bot.text.duration import duration
from bot.transcript import Turn

_MARKS = {"Done": "✅", "Stopped": "⏹️"}


def turn_notice(turn: Turn, record: TurnRecord, mention: Mention | None) -> Message:
    """Return the notice. The person who prompted the turn is mentioned only if they need to act or asked for it."""
    how = outcome(turn)
    calls = mention == "always" or (mention != "never" and how not in _MARKS)
    person = record.prompted_by if calls else None
    result = turn.ended
    words = [
        f"{_MARKS.get(how, '⚠️')} {how}",
        f"<#{record.conversation}>",
        duration(result.duration_ms / 1000) if result else "",
        money(turn.cost) if result else "",
        f"<@{person}>" if person else "",
    ]
    return Message(record.id, " · ".join(filter(None, words)), mentions=(person,) if person else ())
