"""What a person wishes with a button that is no card's: send it now, take it back, go on, try again."""

import re
from dataclasses import dataclass

PREFIX = "wish"
_SHAPE = re.compile(PREFIX + r":(now|drop|resend|go-on|again|run-held|drop-held)(?::(\d{1,20}))(?::(\d{1,11}))?")


@dataclass(frozen=True, slots=True)
class SendNow:
    """Interrupt what goes on, and run this prompt next."""

    prompt: int


@dataclass(frozen=True, slots=True)
class Drop:
    """Don't run this prompt."""

    prompt: int


@dataclass(frozen=True, slots=True)
class Resend:
    """Run a prompt again that was edited after Claude had read it."""

    prompt: int


@dataclass(frozen=True, slots=True)
class GoOn:
    """Go on with what was broken off: now, or at a time."""

    conversation: int
    at: int = 0


@dataclass(frozen=True, slots=True)
class Again:
    """Run a prompt again that never reached Claude."""

    prompt: int


@dataclass(frozen=True, slots=True)
class RunHeld:
    """Run the prompts that a stop has put on hold."""

    conversation: int


@dataclass(frozen=True, slots=True)
class DropHeld:
    """Don't run any of them."""

    conversation: int


@dataclass(frozen=True, slots=True)
class About:
    """Ask Claude about a message."""

    message: int


Wish = SendNow | Drop | Resend | GoOn | Again | RunHeld | DropHeld
"""What a button can wish."""


def custom_id(wish: Wish | About) -> str:  # noqa: PLR0911 - one a wish
    """Write a wish as a button carries it."""
    match wish:
        case SendNow(prompt):
            return f"{PREFIX}:now:{prompt}"
        case Drop(prompt):
            return f"{PREFIX}:drop:{prompt}"
        case Resend(prompt):
            return f"{PREFIX}:resend:{prompt}"
        case GoOn(conversation, at):
            return f"{PREFIX}:go-on:{conversation}:{at}"
        case Again(prompt):
            return f"{PREFIX}:again:{prompt}"
        case RunHeld(conversation):
            return f"{PREFIX}:run-held:{conversation}"
        case DropHeld(conversation):
            return f"{PREFIX}:drop-held:{conversation}"
        case About(message):
            return f"{PREFIX}:about:{message}"


def about(text: str) -> About | None:
    """Read what a form carries; None where it is none of ours."""
    found = re.fullmatch(PREFIX + r":about:(\d{1,20})", text)
    return About(int(found[1])) if found else None


def parse(text: str) -> Wish | None:  # noqa: PLR0911 - one a wish
    """Read what a button carries; None where it is none of ours."""
    found = _SHAPE.fullmatch(text)
    if found is None:
        return None
    number = int(found[2])
    match found[1]:
        case "now":
            return SendNow(number)
        case "drop":
            return Drop(number)
        case "resend":
            return Resend(number)
        case "go-on":
            return GoOn(number, int(found[3] or 0))
        case "run-held":
            return RunHeld(number)
        case "drop-held":
            return DropHeld(number)
        case _:
            return Again(number)
