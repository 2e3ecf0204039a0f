"""A turn as it grows: events in, the things to show out."""

from bot.transcript.items import (
    AnswerText,
    CallState,
    Item,
    LookupGroup,
    Notice,
    Outcome,
    Slot,
    Subagent,
    SubagentGroup,
    Thinking,
    Todo,
    Todos,
    ToolCall,
    TurnProblem,
)
from bot.transcript.session_status import PreviousTurn, SessionStatus
from bot.transcript.turn import Turn, starts_turn

__all__ = [
    "AnswerText",
    "CallState",
    "Item",
    "LookupGroup",
    "Notice",
    "Outcome",
    "PreviousTurn",
    "SessionStatus",
    "Slot",
    "Subagent",
    "SubagentGroup",
    "Thinking",
    "Todo",
    "Todos",
    "ToolCall",
    "Turn",
    "TurnProblem",
    "starts_turn",
]
