"""The buttons below a failed turn: try again, continue or resume."""

from dataclasses import dataclass

from bot.messages import Button, Buttons, Component, Style
from bot.queue_button_ids import Continue, Retry, custom_id
from bot.render.turns.errors import error_kind
from bot.render.turns.usage_limit import limit_resets_at
from bot.transcript import AnswerText, ToolCall, Turn, TurnProblem

_NO_RETRY = frozenset({"prompt_too_long", "account_on_hold", "image_error"})
"""Problems that a retry can't fix; the error message says what to do instead."""
_CUT_SHORT = frozenset({"error_max_turns", "max_turns", "max_output_tokens"})


@dataclass(frozen=True, slots=True)
class RetryTarget:
    """What the buttons run again: the prompt that started the turn, or else the conversation."""

    conversation: int
    prompt: int | None


def retry_buttons(turn: Turn, target: RetryTarget) -> tuple[Component, ...]:
    """Return the buttons for the turn's last problem; none if the turn succeeded."""
    problem = next((item for item in reversed(turn.items) if isinstance(item, TurnProblem)), None)
    if problem is None or (turn.ended is not None and not turn.ended.is_error):
        return ()
    kind = "died" if problem.kind == "died" else error_kind(problem)
    if kind in _NO_RETRY:
        return ()
    begun = any(isinstance(item, AnswerText | ToolCall) for item in turn.items)
    reset = limit_resets_at(problem.text, turn.session) if kind == "rate_limit" else None
    if not begun and target.prompt is not None and reset is None:
        return _row(Button(custom_id(Retry(target.prompt)), "Try again", Style.PRIMARY))
    now = Button(custom_id(Continue(target.conversation)), _label(kind), Style.PRIMARY)
    if reset is None:
        return _row(now)
    later = Button(custom_id(Continue(target.conversation, reset)), "Continue when it resets", Style.PRIMARY)
    return _row(later, Button(now.custom_id, "Continue now"))


def _label(kind: str) -> str:
    if kind == "died":
        return "Resume"
    return "Continue" if kind in _CUT_SHORT else "Try again"


def _row(*buttons: Button) -> tuple[Component, ...]:
    return (Buttons(buttons),)
