"""The status of a conversation: the one answer that /status, the panel, the terminal and the health route share."""

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
    """Claude was asked for them; otherwise only the names of its commands are known."""


@dataclass(frozen=True, slots=True)
class Status:
    """A conversation as it is right now."""

    thread: int
    title: str
    project: Project
    """Its settings as they are in this thread."""
    host: str
    """The machine that Claude works on."""
    doing: Doing
    since: float | None
    """When the turn began; None while there is none."""
    waiting: tuple[Ticket, ...]
    """The permission requests that a person has to answer."""
    queued: int
    """The prompts that Claude has not taken yet, those on hold included."""
    held: tuple[int, ...]
    """The prompts that a stop has put on hold."""
    due: bool
    """A prompt could run now."""
    warming: bool
    """A process is there, or about to be, for a prompt that has not come yet."""
    process: int | None
    session: str | None
    last_answer: str
    """What Claude said at the end of its last turn, as long as its process is there."""
    capabilities: Capabilities
    """What Claude last told about itself."""

    @property
    def waiting_tools(self) -> tuple[str, ...]:
        """The tools whose use somebody has to decide."""
        return tuple(ticket.request.tool_name for ticket in self.waiting)

    @property
    def stoppable(self) -> bool:
        """There is something for a stop to end: a process, or the prompt that one is being started for."""
        return self.process is not None or self.due

    @property
    def in_use(self) -> bool:
        """Claude works here, or is about to."""
        return self.stoppable or self.warming
