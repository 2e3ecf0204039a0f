"""Scripts for a scripted Claude: a script is a list of steps, a step a list of blocks."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True, slots=True)
class Say:
    """Text, streamed in chunks; `pace` is the seconds between two chunks."""

    text: str
    pace: float | None = None


@dataclass(frozen=True, slots=True)
class Think:
    """Thinking, streamed like text."""

    text: str
    pace: float | None = None


@dataclass(frozen=True, slots=True)
class Use:
    """A tool use. Several in one step are parallel."""

    tool: str
    input: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Fail:
    """The API fails for `times` attempts, or for every attempt; then the rest of the step follows."""

    status: int
    message: str = "Overloaded"
    kind: str = "overloaded_error"
    times: int | None = None


@dataclass(frozen=True, slots=True)
class Break:
    """The connection breaks here, mid-stream, for `times` attempts or for every attempt.

    The real CLI may then tell Claude, in a prompt of its own, that its answer "was cut off mid-stream".
    """

    times: int | None = None


@dataclass(frozen=True, slots=True)
class Hang:
    """The stream hangs here: nothing more is sent."""


@dataclass(frozen=True, slots=True)
class WaitFor:
    """Wait until this file exists."""

    path: str


@dataclass(frozen=True, slots=True)
class RawLine:
    """A line that today's Claude never writes: garbage, or something new (scripted agent only)."""

    text: str
    repeat: int = 1
    """How often the text is repeated in the line, so that a short script can write 5 MB."""


@dataclass(frozen=True, slots=True)
class Complain:
    """Text on stderr (scripted agent only)."""

    text: str


@dataclass(frozen=True, slots=True)
class Exit:
    """The process exits here, mid-turn (scripted agent only)."""

    code: int = 1


Block = Say | Think | Use | Fail | Break | Hang | WaitFor | RawLine | Complain | Exit


@dataclass(frozen=True, slots=True)
class UseResult:
    """A tool's result: the text that Claude reads."""

    text: str
    is_error: bool = False


@dataclass(frozen=True, slots=True)
class StepContext:
    """What Claude knows when a step begins; a step can be a function of this context."""

    prompt: str
    outcomes: tuple[UseResult, ...] = ()
    """The results of the previous step's tools, in order."""
    notes: str = ""
    """The CLI's notes to Claude other than the prompt, such as the file for the plan."""
    earlier: tuple[str, ...] = ()
    """The earlier prompts, oldest first."""
    images: int = 0
    """Number of images attached to the prompt."""


Step = Sequence[Block] | Callable[[StepContext], Sequence[Block]]


@dataclass(frozen=True, slots=True)
class ClaudeScript:
    """The answers to one prompt: one step for each call of the Messages API."""

    steps: tuple[Step, ...] = field(default=())

    def at(self, number: int, seen: StepContext) -> tuple[Block, ...]:
        """Return the blocks of a step; after the last step Claude only says that it is done."""
        if number >= len(self.steps):
            return (Say("Done."),)
        step = self.steps[number]
        return tuple(step(seen) if callable(step) else step)


def echo(seen: StepContext) -> list[Block]:
    """Repeat the prompt; used when no other script matches."""
    return [Say(f"You said: {seen.prompt}")]


def last_marker(text: str, markers: Iterable[str]) -> str | None:
    """Find the last marker in the text; of two in the same place, the later in the list."""
    places = [(text.rfind(marker), number, marker) for number, marker in enumerate(markers)]
    found = max(places, default=(-1, 0, ""))
    return None if found[0] < 0 else found[2]


def script(*steps: Step) -> ClaudeScript:
    """Return a script: `script([Use("Bash", {"command": "ls"})], [Say("There you are.")])`."""
    return ClaudeScript(steps)


NOTIFIED = "</task-notification>"
"""The marker in the CLI's own prompt when a background task has finished."""
OVERLOADED = Fail(529, "Overloaded", "overloaded_error")
RATE_LIMITED = Fail(
    429, "This request would exceed your account's rate limit. Please try again later.", "rate_limit_error"
)
NOT_LOGGED_IN = Fail(401, "invalid x-api-key", "authentication_error")
TOO_LONG = Fail(400, "prompt is too long: 250000 tokens > 200000 maximum", "invalid_request_error")
