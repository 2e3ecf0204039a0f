"""Builds a turn from events: the items to show, in order."""

from bot.transcript.items import (
    AnswerText,
    CallState,
    Item,
    LookupGroup,
    Notice,
    Slot,
    Subagent,
    SubagentGroup,
    Thinking,
    Todo,
    Todos,
    ToolCall,
    ToolOutcome,
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
    "PreviousTurn",
    "SessionStatus",
    "Slot",
    "Subagent",
    "SubagentGroup",
    "Thinking",
    "Todo",
    "Todos",
    "ToolCall",
    "ToolOutcome",
    "Turn",
    "TurnProblem",
    "starts_turn",
]
