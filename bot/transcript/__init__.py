"""A turn as it grows: events in, the things to show out."""

from bot.transcript.items import (
    Agent,
    Agents,
    Item,
    Looks,
    Notice,
    Outcome,
    Problem,
    Slot,
    State,
    Text,
    Thinking,
    Todo,
    Todos,
    ToolCall,
)
from bot.transcript.session_status import Carried, Session
from bot.transcript.turn import Turn, starts_turn

__all__ = [
    "Agent",
    "Agents",
    "Carried",
    "Item",
    "Looks",
    "Notice",
    "Outcome",
    "Problem",
    "Session",
    "Slot",
    "State",
    "Text",
    "Thinking",
    "Todo",
    "Todos",
    "ToolCall",
    "Turn",
    "starts_turn",
]
