"""The actions of the buttons below a queued or failed prompt, and their custom_ids."""

import re
from dataclasses import dataclass

PREFIX = "wish"
_SHAPE = re.compile(PREFIX + r":(now|drop|resend|go-on|again|run-held|drop-held)(?::(\d{1,20}))(?::(\d{1,11}))?")


@dataclass(frozen=True, slots=True)
class SendNow:
    """Interrupt Claude and run this prompt next."""

    prompt: int


@dataclass(frozen=True, slots=True)
class CancelPrompt:
    """Cancel this prompt."""

    prompt: int


@dataclass(frozen=True, slots=True)
class Resend:
    """Send a prompt again that was edited after Claude had read it."""

    prompt: int


@dataclass(frozen=True, slots=True)
class Continue:
    """Continue an interrupted turn, now or at a given time."""

    conversation: int
    at: int = 0


@dataclass(frozen=True, slots=True)
class Retry:
    """Run a prompt again that never reached Claude."""

    prompt: int


@dataclass(frozen=True, slots=True)
class RunHeld:
    """Run the prompts that were put on hold by a stop."""

    conversation: int


@dataclass(frozen=True, slots=True)
class CancelHeld:
    """Cancel the prompts that were put on hold by a stop."""

    conversation: int


QueueAction = SendNow | CancelPrompt | Resend | Continue | Retry | RunHeld | CancelHeld


def custom_id(action: QueueAction) -> str:  # noqa: PLR0911 - one per action
    """Write an action as a custom_id."""
    match action:
        case SendNow(prompt):
            return f"{PREFIX}:now:{prompt}"
        case CancelPrompt(prompt):
            return f"{PREFIX}:drop:{prompt}"
        case Resend(prompt):
            return f"{PREFIX}:resend:{prompt}"
        case Continue(conversation, at):
            return f"{PREFIX}:go-on:{conversation}:{at}"
        case Retry(prompt):
            return f"{PREFIX}:again:{prompt}"
        case RunHeld(conversation):
            return f"{PREFIX}:run-held:{conversation}"
        case CancelHeld(conversation):
            return f"{PREFIX}:drop-held:{conversation}"


def parse(text: str) -> QueueAction | None:  # noqa: PLR0911 - one per action
    """Read an action from a custom_id; return None if it is not one of these."""
    found = _SHAPE.fullmatch(text)
    if found is None:
        return None
    number = int(found[2])
    match found[1]:
        case "now":
            return SendNow(number)
        case "drop":
            return CancelPrompt(number)
        case "resend":
            return Resend(number)
        case "go-on":
            return Continue(number, int(found[3] or 0))
        case "run-held":
            return RunHeld(number)
        case "drop-held":
            return CancelHeld(number)
        case _:
            return Retry(number)
