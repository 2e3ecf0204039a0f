"""A prompt's progress, for `claude-discord say`, which follows it from the terminal."""

from dataclasses import dataclass
from typing import Literal

from bot.conversations.shown_turns import ShownTurn
from bot.records import Prompt
from bot.transcript import AnswerText, TurnProblem


@dataclass(frozen=True, slots=True)
class PromptOutcome:
    """How a prompt ended."""

    how: Literal["ok", "failed", "stopped"]
    why: str = ""


@dataclass(frozen=True, slots=True)
class PromptStatus:
    """A prompt's turn as it is right now."""

    turn: str = ""
    """The turn's id. It changes if the first turn was not the prompt's, or its process ended too early."""
    texts: tuple[str, ...] = ()
    """What Claude has said in the turn so far."""
    outcome: PromptOutcome | None = None


def status_of(shown: ShownTurn) -> PromptStatus:
    """Describe the turn of a watched prompt."""
    texts = tuple(item.text for item in shown.turn.items if isinstance(item, AnswerText))
    return PromptStatus(shown.record.id, texts, _outcome(shown))


def never_shown(prompt: Prompt | None) -> PromptStatus:
    """Describe a prompt that left the queue without a turn."""
    if prompt is None or prompt.state == "dropped":
        return PromptStatus(outcome=PromptOutcome("stopped", "The prompt was cancelled."))
    why = "Claude's process ended before it could be followed; its thread says why."
    return PromptStatus(outcome=PromptOutcome("failed", why))


def _outcome(shown: ShownTurn) -> PromptOutcome | None:
    """Return how a turn ended; None while it is running, or if it was not this prompt's."""
    ended = shown.turn.ended
    if not shown.taken or not (shown.turn.over or ended is not None):
        return None
    if shown.stopping or (ended is not None and ended.stopped):
        return PromptOutcome("stopped", "It was stopped.")
    problems = [item.text for item in shown.turn.items if isinstance(item, TurnProblem)]
    if ended is None or ended.is_error or problems:
        said = problems or list(ended.errors if ended else ()) or ([ended.text] if ended and ended.text else [])
        return PromptOutcome("failed", "; ".join(said) or "Claude's process ended in the middle of its work.")
    return PromptOutcome("ok")
