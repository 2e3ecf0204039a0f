"""What a scripted Claude says and does: a script is a few steps, a step is a few blocks."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True, slots=True)
class Say:
    """Text, streamed in small chunks; `pace` is the time between two of them, in seconds."""

    text: str
    pace: float | None = None


@dataclass(frozen=True, slots=True)
class Think:
    """Thinking, streamed like text."""

    text: str
    pace: float | None = None


@dataclass(frozen=True, slots=True)
class Use:
    """A tool. Several in one step are parallel tools."""

    tool: str
    input: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Fail:
    """The API refuses: `times` attempts, or every attempt. What follows in the step comes after that."""

    status: int
    message: str = "Overloaded"
    kind: str = "overloaded_error"
    times: int | None = None


@dataclass(frozen=True, slots=True)
class Break:
    """The connection breaks here, in the middle of the stream: `times` attempts, or every attempt.

    The real CLI may then tell Claude, in a prompt of its own, that its answer "was cut off mid-stream".
    """

    times: int | None = None


@dataclass(frozen=True, slots=True)
class Hang:
    """Nothing more comes."""


@dataclass(frozen=True, slots=True)
class WaitFor:
    """Go on when this file exists."""

    path: str


@dataclass(frozen=True, slots=True)
class RawLine:
    """A line of output that no Claude of today writes: garbage, or something new (scripted agent only)."""

    text: str
    repeat: int = 1
    """The text stands so many times in the one line: a line of 5 MB fits in a short script."""


@dataclass(frozen=True, slots=True)
class Complain:
    """Text on stderr (scripted agent only)."""

    text: str


@dataclass(frozen=True, slots=True)
class Exit:
    """The process ends here, in the middle of the turn (scripted agent only)."""

    code: int = 1


Block = Say | Think | Use | Fail | Break | Hang | WaitFor | RawLine | Complain | Exit


@dataclass(frozen=True, slots=True)
class UseResult:
    """What came of a tool: the text that Claude reads."""

    text: str
    is_error: bool = False


@dataclass(frozen=True, slots=True)
class StepContext:
    """What Claude knows when a step begins."""

    prompt: str
    outcomes: tuple[UseResult, ...] = ()
    """Of the tools of the step before, in their order."""
    notes: str = ""
    """What the CLI told Claude beside the prompt, such as the file that a plan belongs in."""
    earlier: tuple[str, ...] = ()
    """The prompts before this one, oldest first."""
    images: int = 0
    """How many pictures came with the prompt."""


Step = Sequence[Block] | Callable[[StepContext], Sequence[Block]]


@dataclass(frozen=True, slots=True)
class ClaudeScript:
    """Answers to one prompt: a step for each time that Claude is asked how to go on."""

    steps: tuple[Step, ...] = field(default=())

    def at(self, number: int, seen: StepContext) -> tuple[Block, ...]:
        """Give the blocks of a step; past the last one there is only a short goodbye."""
        if number >= len(self.steps):
            return (Say("Done."),)
        step = self.steps[number]
        return tuple(step(seen) if callable(step) else step)


def echo(seen: StepContext) -> list[Block]:
    """Answer where no script was given."""
    return [Say(f"You said: {seen.prompt}")]


def last_marker(text: str, markers: Iterable[str]) -> str | None:
    """Find the marker that stands last in the text; of two in the same place, the later one in the list."""
    places = [(text.rfind(marker), number, marker) for number, marker in enumerate(markers)]
    found = max(places, default=(-1, 0, ""))
    return None if found[0] < 0 else found[2]


def script(*steps: Step) -> ClaudeScript:
    """Write a script: `script([Use("Bash", {"command": "ls"})], [Say("There you are.")])`."""
    return ClaudeScript(steps)


NOTIFIED = "</task-notification>"
"""The marker of the turn that the CLI starts by itself when something in the background has finished."""
OVERLOADED = Fail(529, "Overloaded", "overloaded_error")
RATE_LIMITED = Fail(
    429, "This request would exceed your account's rate limit. Please try again later.", "rate_limit_error"
)
NOT_LOGGED_IN = Fail(401, "invalid x-api-key", "authentication_error")
TOO_LONG = Fail(400, "prompt is too long: 250000 tokens > 200000 maximum", "invalid_request_error")
