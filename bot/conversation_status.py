"""The status of a conversation, as /status, the panel, the terminal and the health route use it."""

from dataclasses import dataclass
from typing import Literal

from bot.config import Project
from bot.permission_requests.ticket import Ticket

Doing = Literal["waiting", "working", "ending", "idle", "starting", "asleep"]


@dataclass(frozen=True, slots=True)
class Capability:
    """A slash command, a skill or a model."""

    name: str
    about: str = ""


@dataclass(frozen=True, slots=True)
class Capabilities:
    commands: tuple[Capability, ...] = ()
    models: tuple[Capability, ...] = ()
    described: bool = False
    """Whether Claude was asked for them; if not, only the names of its commands are known."""


@dataclass(frozen=True, slots=True)
class Status:
    """A conversation as it is right now."""

    thread: int
    title: str
    project: Project
    """The project with its settings for this thread."""
    host: str
    """The machine that Claude works on."""
    doing: Doing
    since: float | None
    """When the turn began; None between turns."""
    waiting: tuple[Ticket, ...]
    """The permission requests that wait for a person."""
    queued: int
    """How many prompts Claude has not started on, including those on hold."""
    held: tuple[int, ...]
    """The prompts that were put on hold by a stop."""
    due: bool
    """Whether a prompt could run now."""
    warming: bool
    """Whether a process is running or starting for a prompt that has not been written yet."""
    process: int | None
    session: str | None
    last_answer: str
    """What Claude said at the end of its last turn, while its process is running."""
    capabilities: Capabilities
    """The commands and models that Claude last listed."""

    @property
    def waiting_tools(self) -> tuple[str, ...]:
        """The tools that wait for permission."""
        return tuple(ticket.request.tool_name for ticket in self.waiting)

    @property
    def stoppable(self) -> bool:
        """Whether there is something to stop: a process, or a prompt for which one is starting."""
        return self.process is not None or self.due

    @property
    def in_use(self) -> bool:
        """Whether Claude is working here, or is about to."""
        return self.stoppable or self.warming
